//go:build duckdb

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "github.com/duckdb/duckdb-go/v2"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlschema"
)

// absent is Database.Absent: this program has DuckDB.
const absent = ""

// create is Container.Create. If the file does not exist, it creates the file and records that in
// it.
func create(ctx context.Context, options any, _ func(job.Event)) error {
	o := options.(*Options)
	if _, err := os.Stat(o.File); err == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(o.File)); errors.Is(err, fs.ErrNotExist) {
		return database.Missing(o.Wrong("file", o.File, "the folder of the file %s does not exist: create it, or name another file", o.File))
	}
	s, err := connectTo(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(sqlschema.RecordCreation(ctx, s, "", filepath.Base(o.File)), s.Close())
}

// claimed holds the paths of the files that this process has claimed, with the number of sharers,
// or alone for an exclusive claim.
var claimed = struct {
	sync.Mutex
	files map[string]int
}{files: map[string]int{}}

const alone = -1

// claimHere claims a path in this process.
func claimHere(path string, shared bool) (unclaim func(), err error) {
	claimed.Lock()
	defer claimed.Unlock()
	switch n := claimed.files[path]; {
	case n == alone || n > 0 && !shared:
		return nil, database.ErrClaimed
	case shared:
		claimed.files[path]++
	default:
		claimed.files[path] = alone
	}
	return func() {
		claimed.Lock()
		defer claimed.Unlock()
		if claimed.files[path]--; claimed.files[path] <= 0 {
			delete(claimed.files, path)
		}
	}, nil
}

// claim is Container.Claim. It keeps the file open until release is called, so that DuckDB keeps
// other processes out.
func claim(_ context.Context, options any, shared bool) (release func() error, err error) {
	o := options.(*Options)
	path, err := o.path()
	if err != nil {
		return nil, o.Wrong("file", o.File, "%w", err)
	}
	unclaim, err := claimHere(path, shared)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil { // connect returns the error
		return func() error { unclaim(); return nil }, nil
	}
	c, err := open(o)
	if err != nil {
		unclaim()
		return nil, err
	}
	return func() error {
		defer unclaim()
		return c.Close()
	}, nil
}

// open opens the file, or creates it. All connectors of a file in this process share one DuckDB;
// DuckDB writes the log into the file when the last one is closed.
func open(o *Options) (*driver.Connector, error) {
	source, err := o.source()
	if err != nil {
		return nil, err
	}
	c, err := driver.NewConnector(source, nil)
	if err != nil {
		return nil, o.explain(err)
	}
	return c, nil
}

func connect(ctx context.Context, options any, _ database.Role) (database.Session, error) {
	o := options.(*Options)
	switch info, err := os.Stat(o.File); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, database.Missing(o.Wrong("file", o.File, "there is no file %s: a build makes it", o.File))
	case err != nil:
		return nil, o.Wrong("file", o.File, "%w", err)
	case info.IsDir():
		return nil, o.Wrong("file", o.File, "%s is a folder: name a file", o.File)
	}
	return connectTo(ctx, o)
}

// connectTo opens a session, and creates the file if it does not exist.
func connectTo(ctx context.Context, o *Options) (database.Session, error) {
	source, err := o.source()
	if err != nil {
		return nil, err
	}
	s, err := database.OpenSQL(ctx, "duckdb", source, dialect)
	if err != nil {
		return nil, o.explain(err)
	}
	s.BeginStatement = func(access database.Access) string {
		if access == database.ReadOnly {
			return "BEGIN TRANSACTION READ ONLY"
		}
		return "BEGIN TRANSACTION"
	}
	loads, err := newSession(ctx, s)
	if err != nil {
		return nil, errors.Join(o.explain(err), s.Close())
	}
	return loads, nil
}

// source returns the data source name for the driver.
func (o *Options) source() (string, error) {
	path, err := o.path()
	if err != nil {
		return "", o.Wrong("file", o.File, "%w", err)
	}
	return path + "?" + o.settings().Encode(), nil
}

// settings returns the options by DuckDB's names. They also forbid downloads: for a SQLite file,
// DuckDB would otherwise look for an extension on the network.
func (o *Options) settings() url.Values {
	settings := url.Values{
		"autoinstall_known_extensions": {"false"},
		"autoload_known_extensions":    {"false"},
	}
	if o.Threads > 0 {
		settings.Set("threads", strconv.Itoa(o.Threads))
	}
	if o.MemoryMiB > 0 {
		settings.Set("memory_limit", strconv.Itoa(o.MemoryMiB)+"MiB")
	}
	return settings
}

var (
	// lockHolder matches DuckDB's message that another process has opened the file. Its groups are
	// the path of that process's program and its ID.
	lockHolder = regexp.MustCompile(`Conflicting lock is held in (.+) \(PID (\d+)\)`)
	// storageVersion matches DuckDB's message that it cannot read the file's format. It captures
	// the number of the format.
	storageVersion = regexp.MustCompile(`version number (\d+), but we can only read`)
)

// explain returns an error that says in one line what is wrong with the file and what to do.
func (o *Options) explain(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return o.Wrong("file", o.File, "open %s: %w", o.File, err)
	}
	text, _, _ := strings.Cut(e.Msg, "\n")
	wrong := func(format string, args ...any) error {
		return o.Wrong("file", o.File, "%w", &openError{fmt.Sprintf(format, args...), err})
	}
	switch {
	case lockHolder.MatchString(text):
		holder := lockHolder.FindStringSubmatch(text)
		return wrong("%s is open in %s (process %s), and only one process at a time can open a DuckDB file: end that process, or name another file", o.File, holder[1], holder[2])
	case strings.Contains(text, "Could not set lock on file"):
		return wrong("%s is open in another process, and only one process at a time can open a DuckDB file: end that process, or name another file", o.File)
	case storageVersion.MatchString(text):
		return wrong("%s was written by another version of DuckDB, in the format %s, which Sledge's version cannot read: name another file, or build again with this version",
			o.File, storageVersion.FindStringSubmatch(text)[1])
	case strings.Contains(text, "not a valid DuckDB database file"), strings.Contains(text, "Could not read enough bytes"), strings.Contains(text, "sqlite_scanner"):
		return wrong("%s is not a DuckDB file: name another file; a build creates it", o.File)
	case strings.Contains(text, "different configuration"):
		return wrong("%s is open in this process for a job with other settings of DuckDB: wait until that job has ended", o.File)
	}
	return wrong("open %s: %s", o.File, text)
}

// openError is an error of opening a file, with a shorter text than DuckDB's.
type openError struct {
	text string
	err  error
}

func (e *openError) Error() string { return e.text }
func (e *openError) Unwrap() error { return e.err }

func classify(err error) meter.Class {
	if errors.Is(err, database.ErrInterrupted) {
		return meter.Connection
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return meter.Other
	}
	switch e.Type {
	case driver.ErrorTypeTransaction:
		return classOfTransaction(e.Msg)
	case driver.ErrorTypeConstraint, driver.ErrorTypeConversion, driver.ErrorTypeOutOfRange, driver.ErrorTypeMismatchType:
		return meter.Constraint
	case driver.ErrorTypePermission:
		return meter.Permission
	case driver.ErrorTypeIO, driver.ErrorTypeOutOfMemory:
		return meter.Resource
	case driver.ErrorTypeInterrupt, driver.ErrorTypeConnection, driver.ErrorTypeFatal, driver.ErrorTypeInternal:
		return meter.Connection
	}
	return meter.Other
}

// classOfTransaction classifies errors of transactions. DuckDB does not wait for locks: if another
// transaction has changed the same rows, a transaction fails, at once or at the commit.
func classOfTransaction(text string) meter.Class {
	switch {
	case strings.Contains(text, "constraint"):
		return meter.Constraint
	case strings.Contains(strings.ToLower(text), "conflict"):
		return meter.Serialization
	}
	return meter.Other
}

// plain is Dialect.Plain. It returns decimals as text with all digits after the point.
func plain(columnType string, value any) any {
	switch v := value.(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		return plainInteger(new(big.Int).SetUint64(v))
	case float32:
		return float64(v)
	case *big.Int: // HUGEINT, the type of sums
		return plainInteger(v)
	case driver.Decimal:
		return plainDecimal(v)
	case time.Time:
		if columnType == "DATE" {
			return v.Format(time.DateOnly)
		}
		return v
	case int64, float64, string, []byte:
		return v
	}
	return fmt.Sprint(value)
}

func plainInteger(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n.String()
}

func plainDecimal(d driver.Decimal) any {
	if d.Scale == 0 {
		return plainInteger(d.Value)
	}
	digits, sign := d.Value.String(), ""
	if d.Value.Sign() < 0 {
		digits, sign = digits[1:], "-"
	}
	if missing := int(d.Scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(d.Scale)
	return sign + digits[:point] + "." + digits[point:]
}
