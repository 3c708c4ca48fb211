package mysql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
)

// tuning sets global variables, which last until the server restarts. Those that are read only are
// written into a configuration file, because MariaDB has no SET PERSIST, and a value with which MySQL
// does not start would stay in mysqld-auto.cnf.
var tuning = &database.Tuning{Identity: identity, Read: readVariable, Set: setVariable, Text: optionFile, Differs: differs, Uptime: uptime, Matter: matter, Advised: advised}

var advised = regexp.MustCompile(`SET GLOBAL (\w+) = ([^;, ]+)`)

// matter follows the manual, chapter InnoDB Startup Options and System Variables. It has variables of MySQL and of MariaDB.
var matter = []database.TunableSetting{
	{Class: database.WaitWrite, Name: "innodb_io_capacity", Values: []string{"200", "1000"}, Why: "pages are written earlier, in the background"},
	{Class: database.WaitWrite, Name: "innodb_max_dirty_pages_pct", Values: []string{"75", "90"}, Why: "more changed pages may stay in memory"},
	{Class: database.WaitWrite, Name: "innodb_flush_neighbors", Values: []string{"1", "0"}, Why: "on disks without seeks, pages are better written one by one"},
	{Class: database.WaitWrite, Name: "innodb_buffer_pool_size", Values: []string{"134217728", "1073741824", "4294967296"}, Why: "pages stay in memory"},
	{Class: database.WaitRead, Name: "innodb_buffer_pool_size", Values: []string{"134217728", "1073741824", "4294967296"}, Why: "pages stay in memory"},
	{Class: database.WaitRead, Name: "innodb_lru_scan_depth", Values: []string{"1024", "256", "4096"}, Why: "free pages are ready for reads"},
	{Class: database.WaitRead, Name: "innodb_read_io_threads", Values: []string{"4", "16"}, Why: "more reads at a time", Restart: true},
	{Class: database.WaitLog, Name: "innodb_log_buffer_size", Values: []string{"16777216", "67108864"}, Why: "sessions wait less for room in the log's memory", Restart: true},
	{Class: database.WaitLatch, Name: "innodb_adaptive_hash_index", Values: []string{"ON", "OFF"}, Why: "its latches cost more than it saves if many sessions change rows"},
	{Class: database.WaitLatch, Name: "innodb_spin_wait_delay", Values: []string{"6", "2", "24"}, Why: "waiting threads look less often, and leave the latch to others"},
	{Class: database.WaitCPU, Name: "innodb_adaptive_hash_index", Values: []string{"ON", "OFF"}, Why: "it saves or costs time by the kind of load"},
	{Class: database.WaitCPU, Name: "table_open_cache", Values: []string{"2000", "8000"}, Why: "tables stay open"},
}

func identity(ctx context.Context, s database.Session) (string, error) {
	t, err := s.Query(ctx, "SELECT concat_ws(' ', @@hostname, @@port, @@datadir)", 1)
	if err != nil {
		return "", err
	}
	return t.Rows[0][0], nil
}

// variableName is what names of variables look like.
var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func readVariable(ctx context.Context, s database.Session, name string) (database.Tuned, error) {
	if !variableName.MatchString(name) {
		return database.Tuned{}, errors.New("this is not the name of a variable")
	}
	t, err := s.Query(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name = '"+strings.ToLower(name)+"'", 1)
	switch {
	case err != nil:
		return database.Tuned{}, err
	case len(t.Rows) == 0:
		return database.Tuned{}, errors.New("the server does not know this variable, or only sessions have it")
	}
	value := t.Rows[0][1]
	return database.Tuned{Name: name, Value: value, Set: true, InEffect: value}, nil
}

func setVariable(ctx context.Context, s database.Session, to database.Tuned) error {
	if err := resized(ctx, s, to.Name); err != nil {
		return err
	}
	err := s.Exec(ctx, "SET GLOBAL "+to.Name+" = "+valueOf(to.Value))
	const readOnly = 1238
	if number(err) == readOnly {
		return database.ErrRestart
	}
	return cmp.Or(err, resized(ctx, s, to.Name))
}

// resized waits until the server has changed the size of the buffer pool, which it does in the background. It refuses
// another change meanwhile.
func resized(ctx context.Context, s database.Session, name string) error {
	if !strings.EqualFold(name, "innodb_buffer_pool_size") {
		return nil
	}
	for {
		t, err := s.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_resize_status'", 1)
		if err != nil || len(t.Rows) == 0 || !resizing.MatchString(t.Rows[0][1]) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the new size of the buffer pool: %s: %w", t.Rows[0][1], ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// resizing matches the states of a change of the buffer pool that has not ended.
var resizing = regexp.MustCompile(`(?i)^(requested|disabling|withdrawing|latching|resizing|re-enabling|buffer pool \d+ ?:)`)

// differs reports whether a server rounded a value, or has a limit.
func differs(value, printed string) bool {
	wanted, notWanted := strconv.ParseFloat(valueOf(value), 64)
	used, notUsed := strconv.ParseFloat(printed, 64)
	return notWanted == nil && notUsed == nil && wanted != used
}

// optionFile returns the text of a file of options with variables.
func optionFile(settings []database.Tuned) string {
	text := "[mysqld]\n"
	for _, one := range settings {
		text += one.Name + ` = "` + strings.ReplaceAll(one.Value, `\`, `\\`) + `"` + "\n"
	}
	return text
}

func uptime(ctx context.Context, s database.Session) (time.Duration, error) {
	t, err := s.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'", 1)
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseInt(t.Rows[0][1], 10, 64)
	return time.Duration(seconds) * time.Second, err
}

// sized matches a number with the suffix that files of options may have, and SET may not.
var sized = regexp.MustCompile(`^(\d+)([KkMmGgTt])$`)

// valueOf returns a value for SET: a number as it is, and anything else as text.
func valueOf(text string) string {
	if found := sized.FindStringSubmatch(text); found != nil {
		shift := map[string]int{"K": 10, "M": 20, "G": 30, "T": 40}[strings.ToUpper(found[2])]
		if n, err := strconv.ParseUint(found[1], 10, 64); err == nil && n<<shift>>shift == n {
			return strconv.FormatUint(n<<shift, 10)
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}
