package mariadb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/mysql"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// finish is Maintenance.Do. If the option purge is set, it makes the server do the work that it
// postponed during the run, in two steps.
func finish(ctx context.Context, options any, tell func(job.Event)) error {
	if o, is := options.(*Options); !is || !o.Purge { // analytic workloads have no such option
		return nil
	}
	return drain{options: options, tell: tell, every: time.Second}.all(ctx)
}

// mayFinish is Maintenance.Possible. It tests the right by setting a variable to its current value.
func mayFinish(ctx context.Context, options any) error {
	o, is := options.(*Options)
	if !is || !o.Purge {
		return nil
	}
	s, err := product.Connect(ctx, options, database.Admin)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Exec(ctx, "SET GLOBAL innodb_io_capacity = @@GLOBAL.innodb_io_capacity"); err != nil {
		return fmt.Errorf("purge: user %s may not change the settings that speed it up: %w: grant the right, or set %s to false", o.User, err, o.Name("purge"))
	}
	return nil
}

// drain makes the server finish postponed work, until the status variable that counts it is zero.
type drain struct {
	options any
	tell    func(job.Event)
	every   time.Duration // time between two readings
}

// setting is a global variable with a value.
type setting struct{ name, value string }

// String returns the statement that sets the variable.
func (v setting) String() string { return "SET GLOBAL " + v.name + " = " + v.value }

// work is postponed work of the server, which a status variable counts.
type work struct {
	step     job.StepName
	variable string
	unit     string // what it counts
	quiet    bool   // wait until the virtual users have ended their last transactions

	// settings speed up the work. Their order allows restoring them: a variable that limits another
	// one comes after it if the limit was raised, and before it if the limit was lowered.
	settings []setting
}

var (
	purge = work{
		step: job.StepPurge, variable: "INNODB_HISTORY_LIST_LENGTH", unit: "undo logs", quiet: true,
		settings: []setting{
			{"innodb_purge_threads", "32"},
			{"innodb_purge_batch_size", "5000"},
		},
	}
	writeBack = work{
		step: job.StepWriteBack, variable: "INNODB_BUFFER_POOL_PAGES_DIRTY", unit: "pages",
		settings: []setting{
			{"innodb_max_dirty_pages_pct", "0"},
			{"innodb_max_dirty_pages_pct_lwm", "0"},
			{"innodb_lru_flush_size", "2048"},
			{"innodb_lru_scan_depth", "4096"},
			{"innodb_io_capacity", "120000"},
			{"innodb_io_capacity_max", "120000"},
		},
	}
)

func (d drain) all(ctx context.Context) error {
	s, err := product.Connect(ctx, d.options, database.Admin)
	if err != nil {
		return err
	}
	err = d.both(ctx, s)
	_ = s.Close() // it fails if the connection was lost, which err reports
	return err
}

func (d drain) both(ctx context.Context, s database.Session) error {
	version, err := value(ctx, s, "SELECT VERSION()")
	if err != nil {
		return fmt.Errorf("purge: read the version: %w", err)
	}
	if !canPurge(version) {
		d.tell(job.Event{Step: &job.Step{Name: job.StepPurge, Stage: job.LeftOut, Needs: "10.7.0"}})
		return nil
	}
	for _, w := range []work{purge, writeBack} {
		if err := d.do(ctx, s, w); err != nil {
			return fmt.Errorf("%s: %w", w.step, err)
		}
	}
	return nil
}

// canPurge reports whether the number of purge threads can be changed while the server runs: from
// 10.7 on.
func canPurge(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err1 := strconv.Atoi(major)
	second, err2 := strconv.Atoi(minor)
	return err1 == nil && err2 == nil && slices.Compare([]int{first, second}, []int{10, 7}) >= 0
}

// do makes the server do the work.
func (d drain) do(ctx context.Context, s database.Session, w work) error {
	n, err := status(ctx, s, w.variable)
	if err != nil {
		return err
	}
	if n == 0 {
		d.tell(job.Event{Step: &job.Step{Name: w.step, Stage: job.LeftOut, Why: "there is nothing to do"}})
		return nil
	}
	wanted, before, err := changes(ctx, s, w.settings)
	if err != nil {
		return err
	}
	begins := job.Step{Name: w.step, Stage: job.Begins, Count: n}
	for _, old := range slices.Backward(before) {
		begins.Undo = append(begins.Undo, old.String())
	}
	d.tell(job.Event{Step: &begins})
	if w.quiet {
		if err := d.awaitQuiet(ctx, s); err != nil {
			return err
		}
	}
	return d.with(ctx, s, wanted, before, func() error { return d.await(ctx, s, w, n) })
}

// awaitQuiet waits until the virtual users have ended their last transactions. The wait is limited,
// because other programs may work on the server, too.
func (d drain) awaitQuiet(ctx context.Context, s database.Session) error {
	const fewCommits, looks = 100, 60
	last, err := status(ctx, s, "COM_COMMIT")
	for range looks {
		if err == nil {
			err = d.pause(ctx)
		}
		if err != nil {
			return err
		}
		before := last
		if last, err = status(ctx, s, "COM_COMMIT"); last-before <= fewCommits {
			return err
		}
	}
	return nil
}

// await waits until no work is left, or until ten readings have shown no progress.
func (d drain) await(ctx context.Context, s database.Session, w work, had int64) error {
	const patience, looksPerReport = 10, 300
	began, lowest, since := time.Now(), int64(-1), 0
	for looks := 0; ; looks++ {
		n, err := status(ctx, s, w.variable)
		if err != nil {
			return err
		}
		d.tell(job.Event{Progress: &job.Progress{Step: string(w.step), Done: max(had-n, 0), Total: had, Unit: w.unit}})
		if n == 0 {
			d.tell(job.Event{Step: &job.Step{Name: w.step, Stage: job.Ends, Seconds: time.Since(began).Seconds()}})
			return nil
		}
		if since++; lowest < 0 || n < lowest {
			lowest, since = n, 0
		}
		if since == patience {
			d.tell(job.Event{Step: &job.Step{Name: w.step, Stage: job.GivenUp, Count: n, Seconds: (patience * d.every).Seconds()}})
			return nil
		}
		if looks > 0 && looks%looksPerReport == 0 {
			d.tell(job.Event{Step: &job.Step{Name: w.step, Stage: job.GoesOn, Count: n, Seconds: time.Since(began).Seconds()}})
		}
		if err := d.pause(ctx); err != nil {
			return err
		}
	}
}

func (d drain) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.every):
		return nil
	}
}

// changes returns the settings that the server has and that can be restored, and their current
// values. Both are in the reverse order of settings.
func changes(ctx context.Context, s database.Session, settings []setting) (wanted, before []setting, err error) {
	for _, v := range slices.Backward(settings) {
		t, err := s.Query(ctx, "SELECT global_value, global_value BETWEEN numeric_min_value + 0 AND numeric_max_value + 0"+
			" FROM information_schema.system_variables WHERE variable_name = '"+v.name+"'", 1)
		if err != nil {
			return nil, nil, err
		}
		// Other versions may lack a variable, or show a value for an unused variable that they do
		// not accept.
		if len(t.Rows) == 0 || t.Rows[0][1] != "1" {
			continue
		}
		wanted, before = append(wanted, v), append(before, setting{v.name, t.Rows[0][0]})
	}
	return wanted, before, nil
}

// with runs do with the settings changed. It always restores them, over another connection, because
// the end of a call's context closes s.
func (d drain) with(ctx context.Context, s database.Session, wanted, before []setting, do func() error) (err error) {
	changed := 0
	defer func() { err = errors.Join(err, d.restore(context.WithoutCancel(ctx), before[:changed])) }()
	for _, v := range wanted {
		changed++
		if err := s.Exec(ctx, v.String()); err != nil {
			return err
		}
	}
	return do()
}

// restoreWithin is the time limit for reconnecting to a lost server to restore its settings. After
// it, an UnrestoredError leaves that to the user.
var restoreWithin = 30 * time.Second

// restore restores values in reverse order, and verifies them. If the connection is lost, it
// retries until restoreWithin has passed.
func (d drain) restore(ctx context.Context, before []setting) error {
	if len(before) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, restoreWithin)
	defer cancel()
	for {
		left, gone, err := d.putBack(ctx, before)
		if err == nil {
			return nil
		}
		if !gone || d.pause(ctx) != nil {
			return &database.UnrestoredError{Statements: left, Err: err}
		}
	}
}

// putBack restores values once. It returns the statements for values that it could not restore, and
// whether the connection was lost.
func (d drain) putBack(ctx context.Context, before []setting) (left []string, gone bool, err error) {
	s, err := product.Connect(ctx, d.options, database.Admin)
	gone = err != nil
	for _, old := range slices.Backward(before) {
		if !gone {
			problem := set(ctx, s, old)
			if problem == nil {
				continue
			}
			gone = mysql.Classify(problem) == meter.Connection
			err = errors.Join(err, problem)
		}
		left = append(left, old.String())
	}
	if s != nil {
		_ = s.Close()
	}
	return left, gone, err
}

// set sets a variable and verifies its value.
func set(ctx context.Context, s database.Session, v setting) error {
	if err := s.Exec(ctx, v.String()); err != nil {
		return fmt.Errorf("set %s: %w", v.name, err)
	}
	is, err := value(ctx, s, "SELECT global_value FROM information_schema.system_variables WHERE variable_name = '"+v.name+"'")
	if err == nil && is != v.value {
		err = fmt.Errorf("%s is %s after it was set to %s", v.name, is, v.value)
	}
	return err
}

func status(ctx context.Context, s database.Session, variable string) (int64, error) {
	text, err := value(ctx, s, "SELECT variable_value FROM information_schema.global_status WHERE variable_name = '"+variable+"'")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// value returns the only value of a query.
func value(ctx context.Context, s database.Session, query string) (string, error) {
	t, err := s.Query(ctx, query, 1)
	if err == nil && len(t.Rows) == 0 {
		err = fmt.Errorf("%q returned no rows", query)
	}
	if err != nil {
		return "", err
	}
	return t.Rows[0][0], nil
}
