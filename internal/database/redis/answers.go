package redis

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // executes the SQL

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// answers executes SQL over many rows, for checks, which use the same statements as on other
// databases. The client copies the tables and columns that a statement names into a SQLite database
// of its own, and queries that.
//
// If data on the server have changed since, the rows are copied again. A copy shows one moment: if
// data change while it is made, it is repeated, up to tries times.
type answers struct {
	*database.SQLSession
	held map[string][]string // the columns that were read, by table
	mark string              // the server's mark when they were read
}

var sqliteDialect = database.Dialect{
	Placeholder: func(int) string { return "?" },
	Type: func(c schema.Column) string {
		switch c.Type {
		case schema.Decimal:
			return "NUMERIC"
		case schema.Integer, schema.SmallInteger, schema.BigInteger:
			return "INTEGER"
		}
		return "TEXT"
	},
}

// tries is the maximum number of attempts to read rows while other clients change data.
const tries = 3

// errBusy means that data were changed while rows were read.
var errBusy = errors.New("other clients change data on the server while its rows are read for this check: repeat it when the server is idle")

// answering returns s.answers with the rows that a statement names.
func (s *session) answering(ctx context.Context, statement string) (*answers, error) {
	if s.inTx && len(s.queue.firsts) > 0 {
		return nil, errors.New("a transaction cannot query many rows after it has written, because they would lack its changes: commit first")
	}
	if s.answers == nil {
		own, err := openAnswers(ctx)
		if err != nil {
			return nil, err
		}
		s.answers = own
	}
	tables, err := s.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	s.layouts = tables
	for range tries {
		mark, err := s.mark(ctx)
		if err != nil {
			return nil, err
		}
		if mark != s.answers.mark {
			clear(s.answers.held)
			s.answers.mark = mark
		}
		if len(s.answers.missing(mentioned(tables, statement))) == 0 {
			return s.answers, nil
		}
		if err := s.copy(ctx, s.answers.missing(mentioned(tables, append(s.foreseen, statement)...))); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

// openAnswers opens a temporary database, which is deleted when it is closed. Nothing in it needs
// to survive.
func openAnswers(ctx context.Context) (*answers, error) {
	own, err := database.OpenSQL(ctx, "sqlite", "", sqliteDialect)
	if err != nil {
		return nil, err
	}
	for _, setting := range []string{"journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"} {
		if err := own.Exec(ctx, "PRAGMA "+setting); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}
	return &answers{SQLSession: own, held: map[string][]string{}}, nil
}

// foresee is Schema.Foresee. It reads the rows that the statements name together. If other clients
// change data meanwhile, each statement reads them again.
func foresee(ctx context.Context, of database.Session, statements []string, progress func(done, total int64)) error {
	s := of.(*session)
	s.foreseen = slices.DeleteFunc(slices.Clone(statements), func(text string) bool { return languageOf(text) != inSQL })
	s.copying = progress
	defer func() { s.copying = nil }()
	_, err := s.answering(ctx, strings.Join(s.foreseen, "\n"))
	return err
}

// mark returns a text that changes when anything on the server changes.
func (s *session) mark(ctx context.Context) (string, error) {
	said, err := s.ask(ctx, "INFO", "persistence")
	if err != nil {
		return "", err
	}
	var mark strings.Builder
	for line := range strings.Lines(text(said)) {
		for _, name := range []string{"rdb_changes_since_last_save:", "rdb_last_save_time:", "rdb_saves:"} {
			if strings.HasPrefix(line, name) {
				mark.WriteString(line)
			}
		}
	}
	return mark.String(), nil
}

var words = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// mentioned returns the tables that statements name, with the columns that the statements name, and
// the columns in the names of the keys, which cost nothing.
func mentioned(tables map[string]layout, statements ...string) map[string][]string {
	said := map[string]bool{}
	for _, statement := range statements {
		for _, word := range words.FindAllString(statement, -1) {
			said[strings.ToLower(word)] = true
		}
	}
	wanted := map[string][]string{}
	for name, l := range tables {
		if !said[name] || l.Kind == setKind {
			continue
		}
		var columns []string
		for _, c := range l.Columns {
			if said[c.Name] || slices.Contains(l.identity(), c.Name) {
				columns = append(columns, c.Name)
			}
		}
		wanted[name] = columns
	}
	return wanted
}

// missing returns the tables of which a has not read all wanted columns. Each comes with the wanted
// columns and those already read.
func (a *answers) missing(wanted map[string][]string) map[string][]string {
	missing := map[string][]string{}
	for name, columns := range wanted {
		held, there := a.held[name]
		all := slices.Clone(held)
		for _, c := range columns {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		if !there || len(all) > len(held) {
			missing[name] = all
		}
	}
	return missing
}

// sqlStatement is a prepared SQL statement. Its rows are read before it runs.
type sqlStatement struct {
	session *session
	text    string
	own     database.Statement
}

func (s *session) prepareSQL(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	a, err := s.answering(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	text := q.Text
	q.Text = parameter.ReplaceAllString(q.Text, "?$1")
	own, err := a.Prepare(ctx, q, in, out)
	return &sqlStatement{s, text, own}, err
}

// Run implements database.Statement.
func (st *sqlStatement) Run(ctx context.Context, each func() error) (int64, error) {
	if _, err := st.session.answering(ctx, st.text); err != nil {
		return 0, err
	}
	return st.own.Run(ctx, each)
}
