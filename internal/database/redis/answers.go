package redis

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // which answers

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// answers answers SQL over many rows, as a check asks it: the client reads the rows of the
// tables and columns that a statement names, puts them into a SQLite database of its own, and
// asks that. So the rules are the very statements that every other database is asked.
//
// Rows are read again where anything on the server has changed since. A copy is of one
// moment: if something changed while it was made, it is made again, and after a few times
// given up.
type answers struct {
	*database.SQLSession
	held map[string][]string // the columns of the tables that were read
	mark string              // of the server when they were
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

// tries is how often rows are read that others change meanwhile.
const tries = 3

// errBusy says that rows were changed while they were read.
var errBusy = errors.New("other clients change data on the server while its rows are read for this check: repeat it when the server is idle")

// answering returns what answers a statement, with the rows that it names.
func (s *session) answering(ctx context.Context, statement string) (*answers, error) {
	if s.inTx && len(s.queue.firsts) > 0 {
		return nil, errors.New("a transaction that has written asks over many rows, and they would not show what it wrote: commit first")
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

// openAnswers opens a database that is gone when it is closed. Nothing in it has to survive.
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

// foresee is Schema.Foresee: the rows that the statements name are read together. Where others
// change data meanwhile, they are read again for each statement.
func foresee(ctx context.Context, of database.Session, statements []string, progress func(done, total int64)) error {
	s := of.(*session)
	s.foreseen = slices.DeleteFunc(slices.Clone(statements), func(text string) bool { return languageOf(text) != inSQL })
	s.copying = progress
	defer func() { s.copying = nil }()
	_, err := s.answering(ctx, strings.Join(s.foreseen, "\n"))
	return err
}

// mark returns what is different as soon as anything on the server has changed.
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

// mentioned returns the tables that statements name, with the columns of theirs that these do,
// and those in the names of the keys, which cost nothing.
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

// missing returns the tables whose rows are not held with all these columns, each with those
// and the ones that were held.
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

// sqlStatement is a prepared statement in SQL, whose rows are read before it runs.
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
