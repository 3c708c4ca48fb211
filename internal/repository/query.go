package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// Query narrows a list of jobs. Fields that are zero ask for nothing.
type Query struct {
	Action   job.Action
	Database string
	Workload string
	Status   job.Status
	Profile  int
	Labels   map[string]string // all of which a job has, by name; "" is any value
	Text     string            // words, all of which stand in what searchedText lists
	Since    time.Time         // when it began at the earliest
	Before   job.ID            // jobs that stand behind this one in the whole list
	Limit    int
}

// ErrNotFound says that the repository has no such job.
var ErrNotFound = errors.New("no such job")

const jobColumns = `number, id, spec, kinds, status, reason, begun_ms, ended_ms, seen_ms, host, pid, process_begun_ms, facts, result, dropped, origin, profile`

// mostWords bounds a search: each word is looked for in the whole text of each job.
const mostWords = 40

// List lists jobs, newest first by the time they began: one that was imported may
// be older than what was there before it. Letters are found large or small.
func (s *Store) List(ctx context.Context, q Query) ([]job.Job, error) {
	labels := []byte("{}")
	if len(q.Labels) > 0 {
		var err error
		if labels, err = json.Marshal(q.Labels); err != nil {
			return nil, fmt.Errorf("list jobs: %w", err)
		}
	}
	words := strings.Fields(q.Text)
	slices.Sort(words)
	if words = slices.Compact(words); len(words) > mostWords {
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("a search takes %d words, and these are %d: leave some out", mostWords, len(words)))
	}
	ascii, others := bySmallLetters(words)
	asciiWords, err := json.Marshal(ascii)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	otherWords, err := json.Marshal(others)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	begun, number := int64(math.MaxInt64), int64(math.MaxInt64)
	if q.Before != "" {
		before, row, err := s.find(ctx, q.Before)
		if err != nil {
			return nil, err
		}
		begun, number = before.Begun.UnixMilli(), row
	}
	since := int64(math.MinInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixMilli()
	}
	rows, err := s.db.QueryContext(ctx, `SELECT `+jobColumns+` FROM job
		WHERE (begun_ms, number) < (?7, ?8) AND begun_ms >= ?9 AND ?1 IN ('', action) AND ?2 IN ('', database) AND ?3 IN ('', workload) AND (?4 IN ('', status) OR ?4 = 'killed' AND status = 'running') AND ?5 IN (0, profile)
			AND NOT EXISTS (SELECT 1 FROM json_each(?6) AS wanted WHERE NOT EXISTS (
				SELECT 1 FROM json_each(spec, '$.labels') AS label WHERE label.key = wanted.key AND wanted.value IN ('', label.value)))
			AND NOT EXISTS (SELECT 1 FROM json_each(?10) AS word WHERE instr(lower(`+searchedText+`), word.value) = 0)
			AND NOT EXISTS (SELECT 1 FROM json_each(?11) AS word WHERE instr(`+smallLetters+`(`+searchedText+`), word.value) = 0)
		ORDER BY begun_ms DESC, number DESC`,
		q.Action, q.Database, q.Workload, q.Status, q.Profile, string(labels), begun, number, since, string(asciiWords), string(otherWords))
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	defer rows.Close()
	var jobs []job.Job
	for rows.Next() {
		j, _, err := scanJob(rows)
		if err != nil {
			return nil, fmt.Errorf("list jobs: %w", err)
		}
		if q.Status != "" && j.Status != q.Status {
			continue
		}
		j.Reason = job.Cut(j.Reason, job.LongestInList)
		j.Result.Reason = job.Cut(j.Result.Reason, job.LongestInList)
		jobs = append(jobs, j)
		if len(jobs) == q.Limit {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return jobs, nil
}

// Count returns how many jobs are kept.
func (s *Store) Count(ctx context.Context) (n int, err error) {
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM job").Scan(&n); err != nil {
		return 0, fmt.Errorf("count the jobs: %w", err)
	}
	return n, nil
}

// Get returns a job. The ID may be cut short as long as no other job's begins
// the same, and "last" is the job that began last.
func (s *Store) Get(ctx context.Context, id job.ID) (job.Job, error) {
	j, _, err := s.find(ctx, id)
	return j, err
}

// find returns a job and the number of its row.
func (s *Store) find(ctx context.Context, id job.ID) (job.Job, int64, error) {
	condition, argument := `id GLOB ? || '*'`, strings.ToUpper(string(id))
	switch {
	case strings.EqualFold(string(id), "last"):
		condition, argument = `number = (SELECT number FROM job ORDER BY begun_ms DESC, number DESC LIMIT 1) AND ? <> ''`, "last"
	case !isHex(argument):
		return job.Job{}, 0, job.WithExit(job.ExitUsage, fmt.Errorf("%q is not the ID of a job: give its first hexadecimal digits, or \"last\"", string(id)))
	}
	rows, err := s.db.QueryContext(ctx, `SELECT `+jobColumns+` FROM job WHERE `+condition+` ORDER BY begun_ms DESC, number DESC LIMIT 3`, argument)
	if err != nil {
		return job.Job{}, 0, fmt.Errorf("find job %s: %w", id, err)
	}
	defer rows.Close()
	var found []job.Job
	var number int64
	for rows.Next() {
		var j job.Job
		if j, number, err = scanJob(rows); err != nil {
			return job.Job{}, 0, fmt.Errorf("find job %s: %w", id, err)
		}
		found = append(found, j)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return job.Job{}, 0, fmt.Errorf("find job %s: %w", id, err)
	}
	switch len(found) {
	case 1:
		return found[0], number, nil
	case 0:
		return job.Job{}, 0, s.notFound(ctx, id)
	}
	return job.Job{}, 0, job.WithExit(job.ExitUsage, fmt.Errorf("the IDs of several jobs begin with %s, such as %s and %s: give more digits", id, found[0].ID, found[1].ID))
}

// notFound says what there is instead.
func (s *Store) notFound(ctx context.Context, id job.ID) error {
	const recent = 1000
	jobs, err := s.List(ctx, Query{Limit: recent})
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		return job.WithExit(job.ExitMissing, fmt.Errorf("find job %s: %w: the repository is empty", id, ErrNotFound))
	}
	names := make([]string, len(jobs))
	for i, j := range jobs {
		names[i] = strings.ToLower(string(j.ID)) // as Suggest compares them
	}
	hint := strings.ToUpper(option.Suggest(string(id), names))
	if hint == "" {
		return job.WithExit(job.ExitMissing, fmt.Errorf("find job %s: %w: the newest is %s", id, ErrNotFound, jobs[0].ID))
	}
	return job.WithExit(job.ExitMissing, fmt.Errorf("find job %s: %w%s", id, ErrNotFound, strings.Replace(hint, "DID YOU MEAN", "did you mean", 1)))
}

func scanJob(rows *sql.Rows) (job.Job, int64, error) {
	var (
		j                         job.Job
		process                   host.Process
		number                    int64
		spec, kinds               string
		facts, result             sql.NullString
		begun, seen, processBegun int64
		ended                     sql.NullInt64
	)
	err := rows.Scan(&number, &j.ID, &spec, &kinds, &j.Status, &j.Reason, &begun, &ended, &seen,
		&process.Host, &process.PID, &processBegun, &facts, &result, &j.Dropped, &j.Origin, &j.Profile)
	if err != nil {
		return j, 0, err
	}
	j.Host, j.PID, j.Begun = process.Host, process.PID, time.UnixMilli(begun)
	if ended.Valid {
		j.Ended = time.UnixMilli(ended.Int64)
	}
	err = errors.Join(json.Unmarshal([]byte(spec), &j.Spec), json.Unmarshal([]byte(kinds), &j.Kinds))
	if facts.Valid {
		err = errors.Join(err, json.Unmarshal([]byte(facts.String), &j.Facts))
	}
	if result.Valid {
		err = errors.Join(err, json.Unmarshal([]byte(result.String), &j.Result))
	}
	if err != nil {
		return j, 0, fmt.Errorf("read job %s: %w", j.ID, err)
	}
	if j.Status == job.Running {
		process.Begun = time.UnixMilli(processBegun)
		judge(&j, process, time.UnixMilli(seen))
	}
	return j, number, nil
}

// judge finds out whether a job that was not ended is still running. A process
// on another host cannot be looked up: there, silence tells.
func judge(j *job.Job, process host.Process, seen time.Time) {
	if here, err := os.Hostname(); err != nil || here != process.Host {
		if time.Since(seen) < silentFor {
			j.Reason = "running on " + process.Host
			return
		}
		j.Reason = fmt.Sprintf("it has shown no sign of life on %s for two minutes", process.Host)
	} else {
		if process.Alive() {
			return
		}
		j.Reason = fmt.Sprintf("its process, %d, went away without ending it", process.PID)
	}
	j.Status = job.Killed
	j.Ended = seen
}

// Profiles lists the numbers of the performance profiles that have a job, the
// smallest first.
func (s *Store) Profiles(ctx context.Context) ([]int, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT DISTINCT profile FROM job WHERE profile <> 0 ORDER BY profile`)
	if err != nil {
		return nil, fmt.Errorf("list performance profiles: %w", err)
	}
	defer rows.Close()
	var profiles []int
	for rows.Next() {
		var profile int
		if err := rows.Scan(&profile); err != nil {
			return nil, fmt.Errorf("list performance profiles: %w", err)
		}
		profiles = append(profiles, profile)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list performance profiles: %w", err)
	}
	return profiles, nil
}

// NextProfile reserves a number for a new performance profile. No other caller gets it.
func (s *Store) NextProfile(ctx context.Context) (number int, err error) {
	row := s.db.QueryRowContext(ctx, `UPDATE profile_number SET last = max(last, (SELECT coalesce(max(profile), 0) FROM job WHERE profile <> 0)) + 1 RETURNING last`)
	if err := row.Scan(&number); err != nil {
		return 0, fmt.Errorf("reserve the number of a performance profile: %w", err)
	}
	return number, nil
}

// OutputLine is a line that a virtual user put out, as another program or an earlier
// Sledge recorded it.
type OutputLine struct {
	At   time.Time `json:"at"`
	User int       `json:"user"`
	Line string    `json:"line"`
}

// StoredFailure is an example of a failed transaction.
type StoredFailure struct {
	At   time.Time `json:"at"`
	User int       `json:"user"`
	job.Failure
}

// pages reads rows a page at a time, without holding a lock while the caller consumes them: a
// web client that reads slowly would otherwise keep the log from being written back. The page
// function returns the number of the last row it read.
func pages[T any](s *Store, ctx context.Context, id job.ID, what string, page func(job, after int64) ([]T, int64, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		_, job, err := s.find(ctx, id)
		if err != nil {
			yield(none, err)
			return
		}
		for after := int64(0); ; {
			list, last, err := page(job, after)
			if err != nil {
				yield(none, fmt.Errorf("read the %s of job %s: %w", what, id, err))
				return
			}
			for _, v := range list {
				if !yield(v, nil) {
					return
				}
			}
			if len(list) == 0 {
				return
			}
			after = last
		}
	}
}

const pageRows = 500

// Seconds yields what was measured as events, in order, ramp-up included: an event for each second,
// or in the later hours of a long run for a few together. How many clients had logged in is not kept.
func (s *Store) Seconds(ctx context.Context, id job.ID) iter.Seq2[job.Event, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Event, int64, error) {
		return s.spans(ctx, `job = ? AND number > ? AND phase <> 'total'`, number, after)
	})
}

// SecondsAfter yields those of Seconds that ended after a moment.
func (s *Store) SecondsAfter(ctx context.Context, id job.ID, moment time.Time) iter.Seq2[job.Event, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Event, int64, error) {
		return s.spans(ctx, `job = ? AND number > ? AND phase <> 'total' AND at_ms > ?`, number, after, moment.UnixMilli())
	})
}

// Moments yields when each second of a job ended, as Seconds does, and leaves out what was
// measured in it, which takes a query of its own each.
func (s *Store) Moments(ctx context.Context, id job.ID) iter.Seq2[job.Event, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Event, int64, error) {
		list, numbers, err := s.moments(ctx, `job = ? AND number > ? AND phase <> 'total'`, number, after)
		if err != nil || len(list) == 0 {
			return nil, 0, err
		}
		return list, numbers[len(numbers)-1], nil
	})
}

// spans reads one page of spans with their tallies.
func (s *Store) spans(ctx context.Context, condition string, arguments ...any) ([]job.Event, int64, error) {
	list, numbers, err := s.moments(ctx, condition, arguments...)
	if err != nil || len(list) == 0 {
		return nil, 0, err
	}
	add := func(place int, t meter.CodedTally) {
		measured := &list[place].Second.Measured
		measured.Kinds = append(measured.Kinds, t)
	}
	if err := s.tallies(ctx, numbers, tallyColumns, add); err != nil {
		return nil, 0, err
	}
	return list, numbers[len(numbers)-1], nil
}

// moments reads one page of spans without their tallies, and the numbers of their rows.
func (s *Store) moments(ctx context.Context, condition string, arguments ...any) ([]job.Event, []int64, error) {
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, phase, offset_ns, elapsed_ns, server_tpm
		FROM span WHERE %s ORDER BY number LIMIT %d`, condition, pageRows), arguments...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var list []job.Event
	var numbers []int64
	for rows.Next() {
		var second job.Second
		var number, at int64
		if err := rows.Scan(&number, &at, &second.Phase, &second.Offset, &second.Measured.Elapsed, &second.ServerTPM); err != nil {
			return nil, nil, err
		}
		list = append(list, job.Event{At: time.UnixMilli(at), Second: &second})
		numbers = append(numbers, number)
	}
	return list, numbers, errors.Join(rows.Err(), rows.Close())
}

const tallyColumns = `done, rolled_back, retried, failed, service, response, bytes_sent, bytes_received, round_trips`

// tallies reads the tallies of spans, by the numbers of their rows, which ascend, and gives each to
// add with the place of its span among them. Columns are tallyColumns, or something in the place of
// those that are not needed.
func (s *Store) tallies(ctx context.Context, numbers []int64, columns string, add func(place int, t meter.CodedTally)) error {
	wanted, err := json.Marshal(numbers)
	if err != nil {
		return err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT span, `+columns+` FROM tally WHERE span IN (SELECT value FROM json_each(?)) ORDER BY span, kind`, string(wanted))
	if err != nil {
		return err
	}
	defer rows.Close()
	for i := 0; rows.Next(); {
		var span int64
		t, err := scanTally(rows, &span)
		if err != nil {
			return err
		}
		for numbers[i] != span {
			i++
		}
		add(i, t)
	}
	return rows.Err()
}

// scanTally reads tallyColumns, after others that are wanted.
func scanTally(rows *sql.Rows, others ...any) (meter.CodedTally, error) {
	var t meter.CodedTally
	var failed sql.NullString
	err := rows.Scan(append(others, &t.Done, &t.RolledBack, &t.Retried, &failed, (*[]byte)(&t.Service), (*[]byte)(&t.Response),
		&t.Traffic.Sent, &t.Traffic.Received, &t.Traffic.RoundTrips)...)
	if err == nil && failed.Valid {
		err = json.Unmarshal([]byte(failed.String), &t.Failed)
	}
	return t, err
}

// Events yields what happened in a job, in order: all that is an event, but for its
// seconds and its progress. There are none of jobs that have an Output.
func (s *Store) Events(ctx context.Context, id job.ID) iter.Seq2[job.Event, error] {
	var beginning EventPlace
	return s.EventsAfter(ctx, id, &beginning)
}

// EventPlace is a place among the events of a job. The zero value is before the first.
type EventPlace struct{ row int64 }

// EventsAfter yields those of Events that are behind a place, and moves it behind each that
// was taken: who asks for news again and again does not read all of them each time.
func (s *Store) EventsAfter(ctx context.Context, id job.ID, place *EventPlace) iter.Seq2[job.Event, error] {
	type placed struct {
		job.Event
		row int64
	}
	from := place.row
	all := pages(s, ctx, id, "events", func(number, after int64) (list []placed, last int64, err error) {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, event FROM event
			WHERE job = ? AND number > ? ORDER BY number LIMIT %d`, pageRows), number, max(after, from))
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var e placed
			var text []byte
			if err := rows.Scan(&last, &text); err != nil {
				return nil, 0, err
			}
			if err := json.Unmarshal(text, &e.Event); err != nil {
				return nil, 0, err
			}
			e.row = last
			list = append(list, e)
		}
		return list, last, rows.Err()
	})
	return func(yield func(job.Event, error) bool) {
		for e, err := range all {
			if !yield(e.Event, err) {
				return
			}
			if err == nil {
				place.row = e.row
			}
		}
	}
}

// Output yields the lines that virtual users put out, in order: of jobs that another
// program recorded, or Sledge before it kept events.
func (s *Store) Output(ctx context.Context, id job.ID) iter.Seq2[OutputLine, error] {
	return pages(s, ctx, id, "output", func(job, after int64) (list []OutputLine, last int64, err error) {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, user, line FROM output
			WHERE job = ? AND number > ? ORDER BY number LIMIT %d`, pageRows), job, after)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var line OutputLine
			var at int64
			if err := rows.Scan(&last, &at, &line.User, &line.Line); err != nil {
				return nil, 0, err
			}
			line.At = time.UnixMilli(at)
			list = append(list, line)
		}
		return list, last, rows.Err()
	})
}

// Failures yields the examples of failed transactions, in order.
func (s *Store) Failures(ctx context.Context, id job.ID) iter.Seq2[StoredFailure, error] {
	return pages(s, ctx, id, "failures", func(job, after int64) (list []StoredFailure, last int64, err error) {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, user, kind, class, message, retried FROM failure
			WHERE job = ? AND number > ? ORDER BY number LIMIT %d`, pageRows), job, after)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var f StoredFailure
			var at int64
			if err := rows.Scan(&last, &at, &f.User, &f.Kind, &f.Class, &f.Message, &f.Retried); err != nil {
				return nil, 0, err
			}
			f.At = time.UnixMilli(at)
			list = append(list, f)
		}
		return list, last, rows.Err()
	})
}

// Summary returns what was measured in all, and the names of its kinds. For a
// job that is running or was killed it adds up the seconds measured so far.
func (s *Store) Summary(ctx context.Context, id job.ID) (meter.Summary, []string, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, nil, err
	}
	total, _, err := s.spans(ctx, `job = ? AND phase = 'total'`, number)
	if err != nil {
		return meter.Summary{}, nil, fmt.Errorf("read the summary of job %s: %w", j.ID, err)
	}
	if len(total) > 0 {
		sum, err := total[0].Second.Measured.Summary()
		return sum, j.Kinds, err
	}
	sum, err := s.phaseSummary(ctx, j, job.Measure)
	return sum, j.Kinds, err
}

// PhaseSummary returns what the seconds of a phase of a run add up to. Those of the
// measured time add up to less than its Summary where users failed at its end.
func (s *Store) PhaseSummary(ctx context.Context, id job.ID, phase job.Phase) (meter.Summary, error) {
	j, _, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, err
	}
	return s.phaseSummary(ctx, j, phase)
}

func (s *Store) phaseSummary(ctx context.Context, j job.Job, phase job.Phase) (meter.Summary, error) {
	sum := meter.NewSummary(len(j.Kinds))
	for e, err := range s.Seconds(ctx, j.ID) {
		if err != nil {
			return sum, err
		}
		if e.Second.Phase != phase {
			continue
		}
		measured := e.Second.Measured
		if len(measured.Kinds) != len(sum.Kinds) {
			return sum, fmt.Errorf("read the summary of job %s: %d kinds of transaction were counted, but %d have a name", j.ID, len(measured.Kinds), len(sum.Kinds))
		}
		if err := sum.AddCoded(measured); err != nil {
			return sum, fmt.Errorf("read the summary of job %s: %w", j.ID, err)
		}
	}
	return sum, nil
}

// OfUser is what a virtual user measured in a phase of a run.
type OfUser struct {
	Position int // 2 of the first user who runs transactions
	Measured meter.CodedSummary
}

// OfUsers returns what each virtual user measured in a phase of a run, by their
// positions. It is kept where a time profile was asked for; there is nothing elsewhere.
func (s *Store) OfUsers(ctx context.Context, id job.ID, phase job.Phase) ([]OfUser, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.ofUsers(ctx, number, phase)
	if err != nil {
		return nil, fmt.Errorf("read what each virtual user of job %s measured: %w", j.ID, err)
	}
	return list, nil
}

func (s *Store) ofUsers(ctx context.Context, job int64, phase job.Phase) (list []OfUser, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT user, elapsed_ns, `+tallyColumns+` FROM user_tally WHERE job = ? AND phase = ? ORDER BY user, kind`, job, phase)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one OfUser
		t, err := scanTally(rows, &one.Position, &one.Measured.Elapsed)
		if err != nil {
			return nil, err
		}
		if n := len(list); n == 0 || list[n-1].Position != one.Position {
			list = append(list, one)
		}
		last := &list[len(list)-1]
		last.Measured.Kinds = append(last.Measured.Kinds, t)
	}
	return list, rows.Err()
}

// UserSummary returns what the virtual user at a position measured, and whether
// that was kept: it is where a time profile was asked for. The first position of a
// user who runs transactions is 2.
func (s *Store) UserSummary(ctx context.Context, id job.ID, position int) (meter.Summary, bool, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, false, err
	}
	sum, kept, err := s.userSummary(ctx, number, position)
	if err != nil {
		return sum, false, fmt.Errorf("read what virtual user %d of job %s measured: %w", position, j.ID, err)
	}
	return sum, kept, nil
}

func (s *Store) userSummary(ctx context.Context, job int64, position int) (meter.Summary, bool, error) {
	var coded meter.CodedSummary
	rows, err := s.db.QueryContext(ctx, `SELECT elapsed_ns, `+tallyColumns+` FROM user_tally WHERE job = ? AND user = ? AND phase = 'measure' ORDER BY kind`, job, position)
	if err != nil {
		return meter.Summary{}, false, err
	}
	defer rows.Close()
	for rows.Next() {
		t, err := scanTally(rows, &coded.Elapsed)
		if err != nil {
			return meter.Summary{}, false, err
		}
		coded.Kinds = append(coded.Kinds, t)
	}
	if err := rows.Err(); err != nil || len(coded.Kinds) == 0 {
		return meter.Summary{}, false, err
	}
	sum, err := coded.Summary()
	return sum, err == nil, err
}

// Delete removes a job for good. A job that is running is refused.
func (s *Store) Delete(ctx context.Context, id job.ID) error {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	if j.Status == job.Running {
		return job.WithExit(job.ExitUsage, fmt.Errorf("job %s is running on %s as process %d: stop it before it is deleted", j.ID, j.Host, j.PID))
	}
	if _, err := s.db.ExecContext(ctx, `DELETE FROM job WHERE number = ?`, number); err != nil {
		return fmt.Errorf("delete job %s: %w", j.ID, err)
	}
	return nil
}

// isHex reports whether s could begin an ID, once in upper case.
func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789ABCDEF") == ""
}
