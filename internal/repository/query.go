package repository

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/option"
)

// Query filters a list of jobs. A zero field does not filter.
type Query struct {
	Action   job.Action
	Database string
	Workload string
	Status   job.Status
	Profile  int
	Labels   map[string]string // by name; a job must have all of them; "" matches any value
	Text     string            // words; searchedText must contain all of them
	Since    time.Time         // the earliest begin
	Until    time.Time         // jobs begin before it
	Sort     Sort              // zero is Newest
	Before   job.ID            // lists only jobs that follow this one in the unfiltered list
	Limit    int

	// Figures leaves out of each job what is not needed to compare its figures with those of other jobs: of
	// its facts, it has the target and the size, and of its result, the users, the figures and the cause of a failure. Most of the
	// time of a long list would otherwise be spent on the rest.
	Figures bool
}

// Sort is the order of a list of jobs.
type Sort string

// The orders of a list. An index serves each of them, so that a page is read without sorting the whole list.
const (
	Newest  Sort = "newest"  // by the time at which jobs began
	Longest Sort = "longest" // by duration; running jobs come last
	Highest Sort = "highest" // by the name and the value of the first figure; jobs without one come last
)

// Sorts lists the orders. The first is the default.
var Sorts = []Sort{Newest, Longest, Highest}

// sortKeys holds the SQL expressions that a list is sorted by, all of them in descending order. They are the columns of
// an index, and the last one is unique.
var sortKeys = map[Sort][]string{
	Newest:  {"begun_ms", "number"},
	Longest: {"coalesce(ended_ms - begun_ms, -1)", "begun_ms", "number"},
	Highest: {"coalesce(result ->> '$.metrics[0].name', '')", "coalesce(result ->> '$.metrics[0].value', -1)", "begun_ms", "number"},
}

// ErrNotFound means that the repository does not contain the job.
var ErrNotFound = errors.New("no such job")

const jobColumns = `number, id, spec, kinds, status, reason, begun_ms, ended_ms, seen_ms, host, pid, process_begun_ms, facts, result, dropped, origin, profile`

// figures replaces the columns facts and result in jobColumns, for Query.Figures.
const figures = `json_object('target', facts ->> '$.target', 'size', facts ->> '$.size'), json_object('users', coalesce(result ->> '$.users', 0), 'metrics', result -> '$.metrics', 'cause', result -> '$.cause')`

// mostWords limits the words of a search, because each word is searched for in the whole text of
// each job.
const mostWords = 40

// List lists jobs, by default newest first by the time at which they began. An imported job may be older than
// jobs that were recorded before the import. The search ignores case.
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
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("a search takes at most %d words, not %d: leave some out", mostWords, len(words)))
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
	keys, known := sortKeys[cmp.Or(q.Sort, Newest)]
	if !known {
		return nil, fmt.Errorf("list jobs: unknown order %q", q.Sort)
	}
	parameters := []any{q.Action, q.Database, q.Workload, q.Status, q.Profile, string(labels), string(asciiWords), string(otherWords)}
	part, values, err := s.partOf(ctx, q, keys)
	if err != nil {
		return nil, err
	}
	columns := jobColumns
	if q.Figures {
		columns = strings.Replace(jobColumns, "facts, result", figures, 1)
	}
	rows, err := s.db.QueryContext(ctx, listSQL(columns, keys, part), append(parameters, values...)...)
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

// listSQL returns the statement that lists columns of jobs, sorted by keys, in the part of the list that an SQL condition selects.
func listSQL(columns string, keys []string, part string) string {
	return `SELECT ` + columns + ` FROM job
		WHERE ?1 IN ('', action) AND ?2 IN ('', database) AND (?3 IN ('', workload) OR instr(' + ' || workload || ' + ', ' + ' || ?3 || ' + ') > 0) AND (?4 IN ('', status) OR ?4 = 'killed' AND status = 'running') AND ?5 IN (0, profile)
			AND NOT EXISTS (SELECT 1 FROM json_each(?6) AS wanted WHERE NOT EXISTS (
				SELECT 1 FROM json_each(spec -> '$.labels') AS label WHERE label.key = wanted.key AND wanted.value IN ('', label.value)))
			AND NOT EXISTS (SELECT 1 FROM json_each(?7) AS word WHERE instr(lower(` + searchedText + `), word.value) = 0)
			AND NOT EXISTS (SELECT 1 FROM json_each(?8) AS word WHERE instr(` + smallLetters + `(` + searchedText + `), word.value) = 0)
			` + part + `
		ORDER BY ` + strings.Join(keys, " DESC, ") + ` DESC`
}

// partOf returns an SQL condition for the time and the place in the sorted list of the jobs that a query wants and ctx
// sees, and its parameters. The condition begins with AND or is empty.
func (s *Store) partOf(ctx context.Context, q Query, keys []string) (condition string, values []any, err error) {
	begun := "begun_ms"
	if keys[0] != begun {
		begun = "+begun_ms" // SQLite then uses the index of the order and not that of the time
	}
	if !q.Since.IsZero() {
		condition, values = condition+" AND "+begun+" >= ?", append(values, q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		condition, values = condition+" AND "+begun+" < ?", append(values, q.Until.UnixMilli())
	}
	seen, projects := visible(ctx, "?")
	condition, values = condition+seen, append(values, projects...)
	if q.Before == "" {
		return condition, values, nil
	}
	_, row, err := s.find(ctx, q.Before)
	if err != nil {
		return "", nil, err
	}
	last, into := make([]any, len(keys)), make([]any, len(keys))
	for i := range last {
		into[i] = &last[i]
	}
	list := strings.Join(keys, ", ")
	if err := s.db.QueryRowContext(ctx, "SELECT "+list+" FROM job WHERE number = ?", row).Scan(into...); err != nil {
		return "", nil, fmt.Errorf("list the jobs after %s: %w", q.Before, err)
	}
	condition += " AND (" + list + ") < (?" + strings.Repeat(", ?", len(keys)-1) + ")"
	return condition, append(values, last...), nil
}

// Count returns the number of recorded jobs.
func (s *Store) Count(ctx context.Context) (n int, err error) {
	seen, projects := visible(ctx, "?")
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM job WHERE true"+seen, projects...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the jobs: %w", err)
	}
	return n, nil
}

// Get returns a job. The ID may be shortened if no other ID begins with the same digits. "last" is
// the job that began last.
func (s *Store) Get(ctx context.Context, id job.ID) (job.Job, error) {
	j, _, err := s.find(ctx, id)
	return j, err
}

// find returns a job and the number of its row.
func (s *Store) find(ctx context.Context, id job.ID) (job.Job, int64, error) {
	// "G" follows all hexadecimal digits. SQLite would not use an index for GLOB with a parameter.
	condition, argument := `id >= ?1 AND id < ?1 || 'G'`, strings.ToUpper(string(id))
	seen, projects := visible(ctx, "?2")
	switch {
	case strings.EqualFold(string(id), "last"):
		condition, argument = `number = (SELECT number FROM job WHERE true`+seen+` ORDER BY begun_ms DESC, number DESC LIMIT 1) AND ?1 <> ''`, "last"
	case !isHex(argument):
		return job.Job{}, 0, job.WithExit(job.ExitUsage, fmt.Errorf("%q is not the ID of a job: give its first hexadecimal digits, or \"last\"", string(id)))
	}
	rows, err := s.db.QueryContext(ctx, `SELECT `+jobColumns+` FROM job WHERE `+condition+seen+` ORDER BY begun_ms DESC, number DESC LIMIT 3`, append([]any{argument}, projects...)...)
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

// notFound returns an error that suggests similar jobs.
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

// judge determines whether a job without a recorded end is still running. A process on another host
// cannot be looked up, so such a job counts as killed after silentFor without a sign of life.
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

// Delete removes a job permanently. It refuses a running job.
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

// isHex reports whether s could begin an ID. It expects upper case.
func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789ABCDEF") == ""
}
