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
)

// finish is Database.Finish. For maria_purge it makes the server do the work
// that a run has put off, in two steps.
func finish(ctx context.Context, options any, tell func(job.Event)) error {
	if !options.(*Options).Purge {
		return nil
	}
	return drain{options: options, tell: tell, every: time.Second}.all(ctx)
}

// drain has the server work off what a status variable counts.
type drain struct {
	options any
	tell    func(job.Event)
	every   time.Duration // between two looks
}

// step tells how a step stands, and how much there is left of what it works off.
func (d drain) step(name job.StepName, stage job.Stage, left int64, took int) {
	d.tell(job.Event{Step: &job.Step{Name: name, Stage: stage, Count: left, Seconds: float64(took)}})
}

// setting is a global variable and the value that speeds the work up.
type setting struct{ name, value string }

// Each list is in the order in which the values can be put back: a variable that
// bounds another from above comes after it where the bound was raised, and
// before it where it was lowered. innodb_lru_flush_size would speed it up, too, and is left
// alone, because newer servers do without it and show a value for it that they do not take
// back.
var (
	purgeSettings = []setting{
		{"innodb_purge_threads", "32"},
		{"innodb_purge_batch_size", "5000"},
	}
	writeBackSettings = []setting{
		{"innodb_max_dirty_pages_pct", "0"},
		{"innodb_max_dirty_pages_pct_lwm", "0"},
		{"innodb_lru_scan_depth", "4096"},
		{"innodb_io_capacity", "120000"},
		{"innodb_io_capacity_max", "120000"},
	}
)

func (d drain) all(ctx context.Context) error {
	s, err := product.Connect(ctx, d.options, database.Admin)
	if err != nil {
		return err
	}
	err = d.both(ctx, s)
	return errors.Join(err, s.Close())
}

func (d drain) both(ctx context.Context, s database.Session) error {
	version, err := value(ctx, s, "SELECT VERSION()")
	if err != nil {
		return fmt.Errorf("purge: ask for the version: %w", err)
	}
	if !canPurge(version) {
		d.tell(job.Event{Step: &job.Step{Name: job.StepPurge, Stage: job.LeftOut, Needs: "10.7.0"}})
		return nil
	}
	if err := d.purge(ctx, s); err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	if err := d.writeBack(ctx, s); err != nil {
		return fmt.Errorf("write back: %w", err)
	}
	return nil
}

// canPurge reports whether the number of purge threads can be changed, as it can
// from 10.7 on.
func canPurge(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err1 := strconv.Atoi(major)
	second, err2 := strconv.Atoi(minor)
	return err1 == nil && err2 == nil && slices.Compare([]int{first, second}, []int{10, 7}) >= 0
}

func (d drain) purge(ctx context.Context, s database.Session) error {
	n, err := status(ctx, s, "INNODB_HISTORY_LIST_LENGTH")
	if err != nil || n == 0 {
		d.step(job.StepPurge, job.LeftOut, 0, 0)
		return ctx.Err()
	}
	d.step(job.StepPurge, job.Begins, n, 0)
	if err := d.awaitQuiet(ctx, s); err != nil {
		return err
	}
	return d.with(ctx, s, purgeSettings, func() error {
		return d.await(ctx, s, "INNODB_HISTORY_LIST_LENGTH", job.StepPurge)
	})
}

func (d drain) writeBack(ctx context.Context, s database.Session) error {
	n, err := status(ctx, s, "INNODB_BUFFER_POOL_PAGES_DIRTY")
	if err != nil || n == 0 {
		d.step(job.StepWriteBack, job.LeftOut, 0, 0)
		return ctx.Err()
	}
	d.step(job.StepWriteBack, job.Begins, n, 0)
	return d.with(ctx, s, writeBackSettings, func() error {
		return d.await(ctx, s, "INNODB_BUFFER_POOL_PAGES_DIRTY", job.StepWriteBack)
	})
}

// awaitQuiet waits until the virtual users have ended their last transactions,
// but not for long: somebody else may work on the server, too.
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

// await waits until the status variable is 0, or has seen no new low for ten looks. A
// look counts as a second.
func (d drain) await(ctx context.Context, s database.Session, variable string, step job.StepName) error {
	const patience, looksPerReport = 10, 300
	lowest, since := int64(-1), 0
	for looks := 0; ; looks++ {
		n, err := status(ctx, s, variable)
		if err != nil {
			return err
		}
		if n == 0 {
			d.step(step, job.Ends, 0, looks)
			return nil
		}
		if since++; lowest < 0 || n < lowest {
			lowest, since = n, 0
		}
		if since == patience {
			d.step(step, job.GivenUp, n, patience)
			return nil
		}
		if looks > 0 && looks%looksPerReport == 0 {
			d.step(step, job.GoesOn, n, looks)
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

// with runs do while the settings are in force. They are put back whatever
// happens, on a connection of their own, because the end of a context closes the
// one that was waited on.
func (d drain) with(ctx context.Context, s database.Session, settings []setting, do func() error) (err error) {
	var before []setting
	defer func() { err = errors.Join(err, d.restore(context.WithoutCancel(ctx), before)) }()
	for _, wanted := range slices.Backward(settings) {
		old, err := value(ctx, s, "SELECT @@GLOBAL."+wanted.name)
		if mysql.IsUnknownVariable(err) {
			continue // another version has other variables
		}
		if err != nil {
			return err
		}
		before = append(before, setting{wanted.name, old})
		if err := set(ctx, s, wanted); err != nil {
			return err
		}
	}
	return do()
}

// restore puts values back, the last first.
func (d drain) restore(ctx context.Context, before []setting) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	s, err := product.Connect(ctx, d.options, database.Admin)
	if err != nil {
		return fmt.Errorf("put back %v: %w", before, err)
	}
	var errs []error
	for _, old := range slices.Backward(before) {
		if err := set(ctx, s, old); err != nil {
			errs = append(errs, fmt.Errorf("put back %v: %w", old, err))
		}
	}
	return errors.Join(append(errs, s.Close())...)
}

func set(ctx context.Context, s database.Session, v setting) error {
	return s.Exec(ctx, "SET GLOBAL "+v.name+" = "+v.value)
}

func status(ctx context.Context, s database.Session, variable string) (int64, error) {
	text, err := value(ctx, s, "SELECT variable_value FROM information_schema.global_status WHERE variable_name = '"+variable+"'")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// value returns the only value that a query answers.
func value(ctx context.Context, s database.Session, query string) (string, error) {
	t, err := s.Query(ctx, query, 1)
	if err == nil && len(t.Rows) == 0 {
		err = fmt.Errorf("%q has no answer", query)
	}
	if err != nil {
		return "", err
	}
	return t.Rows[0][0], nil
}
