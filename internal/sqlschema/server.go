package sqlschema

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/doctor"
	"sledge/internal/sqlfile"
)

// NewServer returns a database's Server, which uses the sections of server.sql, and counter.sql,
// counter_all.sql, counters.sql, counters_rates.sql, statements.sql, disturbances.sql, background.sql,
// activity_detailed.sql, activity.sql, details.sql, calibrate.sql, doctor.sql, flush.sql and explain.sql. Functions
// for which there is no SQL are nil.
func NewServer(sql *sqlfile.Library) database.Server {
	a := answers{sql}
	server := database.Server{Version: a.wordOf("server.version"), Settings: a.pairs("server.settings")}
	if sql.Has("server.setting_sources") {
		server.SettingSources = a.pairs("server.setting_sources")
	}
	if sql.Has("server.product") {
		server.Product = a.wordOf("server.product")
	}
	if sql.Has("server.session") {
		server.Name = a.wordOf("server.session")
	}
	if sql.Has("server.steady") {
		server.Steady = a.steady
	}
	if sql.Has("server.connection") {
		server.Connection = a.connection
	}
	if sql.Has("counter") {
		server.Counter = a.counterOf("counter")
	}
	if sql.Has("disturbances") {
		server.Disturbances = a.disturbances
	}
	if sql.Has("background") {
		server.Background = a.background
	}
	for _, file := range []string{"activity_detailed", "activity"} {
		if sql.Has(file) {
			server.Activity = append(server.Activity, a.activity(file))
		}
	}
	if sql.Has("details.list") {
		server.Details = &database.Details{Lacking: a.wordOf("details.lacking"), Count: a.sessionCount, List: a.sessionDetails, LockWaits: a.lockWaits}
	}
	if len(sql.Names("counters.")) > 0 {
		server.Counters = a.counters
	}
	if sql.Has("counters_rates") {
		server.CounterRates = a.counterRates
	}
	if len(sql.Names("doctor.")) > 0 {
		server.Readings = a.readings
	}
	if sql.Has("statements.counts") {
		server.Statements = &database.Statements{Lacking: a.wordOf("statements.lacking"), Counts: a.statementCounts, Texts: a.statementTexts}
		if sql.Has("statements.examples") {
			server.Statements.Examples, server.Statements.Explain = a.statementExamples, a.explainStatement
		}
		if sql.Has("statements.columns") {
			server.Statements.Columns, server.Statements.Parameters = a.tableColumns, a.statementParameters
			server.Statements.Sample, server.Statements.Range = a.columnSample, a.columnRange
		}
		if sql.Has("statements.hidden") {
			server.Statements.Hidden = a.wordOf("statements.hidden")
		}
	}
	if sql.Has("counter_all") {
		server.CounterOfAll = a.counterOf("counter_all")
	}
	if sql.Has("calibrate") {
		server.Calibrate = a.calibrate
	}
	if sql.Has("flush") {
		server.Flush = a.flush()
	}
	if sql.Has("explain.plan") {
		server.Explain = a.explainer("explain.plan")
	}
	if sql.Has("explain.timed") {
		server.ExplainTimed = a.explainer("explain.timed")
	}
	return server
}

// answers implements the functions of a Server with the SQL of a pair.
type answers struct{ sql *sqlfile.Library }

func (a answers) wordOf(name string) func(context.Context, database.Session) (string, error) {
	return func(ctx context.Context, s database.Session) (string, error) { return word(ctx, a.sql, s, name) }
}

func (a answers) steady(ctx context.Context, s database.Session) error {
	q, err := a.sql.Query("server.steady")
	if err != nil {
		return err
	}
	return s.Exec(ctx, q.Text)
}

// pairs returns a function that runs a query with two columns: names and values.
func (a answers) pairs(name string) func(context.Context, database.Session) (map[string]string, error) {
	return func(ctx context.Context, s database.Session) (map[string]string, error) {
		rows, err := ask(ctx, a.sql, s, name, 2)
		if err != nil {
			return nil, err
		}
		found := map[string]string{}
		for _, row := range rows {
			found[row[0]] = row[1]
		}
		return found, nil
	}
}

func (a answers) connection(ctx context.Context, s database.Session) ([]string, error) {
	rows, err := ask(ctx, a.sql, s, "server.connection", 0)
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, " "))
	}
	return lines, err
}

// counterOf returns a function that adds up the last column of a query's rows, because some servers
// return several counts.
func (a answers) counterOf(name string) func(context.Context, database.Session) (int64, error) {
	return func(ctx context.Context, s database.Session) (sum int64, err error) {
		rows, err := ask(ctx, a.sql, s, name, 1)
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 {
			return 0, &database.UncountedError{Text: "the server returned no count", Err: fmt.Errorf("sql %s: it returned no count", name)}
		}
		for _, row := range rows {
			n, err := strconv.ParseInt(row[len(row)-1], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("sql %s: %w", name, err)
			}
			sum += n
		}
		return sum, nil
	}
}

// disturbances runs disturbances.sql. Its columns are the ID, 1 or 0 for Lasting, and the text.
func (a answers) disturbances(ctx context.Context, s database.Session) ([]database.Disturbance, error) {
	rows, err := ask(ctx, a.sql, s, "disturbances", 3)
	var list []database.Disturbance
	for _, row := range rows {
		list = append(list, database.Disturbance{ID: row[0], Lasting: row[1] == "1", Text: row[2]})
	}
	return list, err
}

// background runs background.sql. Its columns are the ID, the texts for the beginning and the end, the name, and
// the seconds since it began, if they are known.
func (a answers) background(ctx context.Context, s database.Session) ([]database.BackgroundWork, error) {
	rows, err := ask(ctx, a.sql, s, "background", 5)
	var list []database.BackgroundWork
	for _, row := range rows {
		age, _ := strconv.ParseFloat(row[4], 64)
		list = append(list, database.BackgroundWork{ID: row[0], Began: row[1], Ended: row[2], Name: row[3], Age: time.Duration(age * float64(time.Second))})
	}
	return list, err
}

// activity returns the way of a file: the list of sessions, and the sections lacking, coarse and locks.
func (a answers) activity(file string) database.Activity {
	way := database.Activity{List: a.sessionsOf(file)}
	if name := file + ".lacking"; a.sql.Has(name) {
		way.Lacking = a.wordOf(name)
	}
	if name := file + ".coarse"; a.sql.Has(name) {
		way.Coarse = a.wordOf(name)
	}
	if name := file + ".locks"; a.sql.Has(name) {
		way.Blocked = a.blockedOf(name)
	}
	return way
}

// sessionsOf returns a function that runs a list of sessions. Its columns are those of an ActiveSession, with
// the kind of a background process in place of Background, and times in microseconds since 1970. The last two
// columns, the inner statement and the IDs of the blockers with spaces between them, may be missing.
func (a answers) sessionsOf(name string) func(context.Context, database.Session) ([]database.ActiveSession, error) {
	return func(ctx context.Context, s database.Session) ([]database.ActiveSession, error) {
		const columns, most = 8, 10
		rows, err := ask(ctx, a.sql, s, name, columns)
		list := make([]database.ActiveSession, len(rows))
		for i, row := range rows {
			for len(row) < most {
				row = append(row, "")
			}
			list[i] = database.ActiveSession{
				ID: row[0], Background: row[1] != "", Program: cmp.Or(row[1], row[2]), Wait: row[3], Statement: row[4],
				Inner: row[8], Blockers: strings.Fields(row[9]),
			}
			for column, to := range map[int]*time.Time{5: &list[i].Asked, 6: &list[i].Now, 7: &list[i].Since} {
				if µs, err := strconv.ParseInt(row[column], 10, 64); err == nil {
					*to = time.UnixMicro(µs)
				}
			}
		}
		return list, err
	}
}

// blockedOf returns a function that runs a list of blocked sessions. Its columns are those of a Blocked.
func (a answers) blockedOf(name string) func(context.Context, database.Session) ([]database.Blocked, error) {
	return func(ctx context.Context, s database.Session) (list []database.Blocked, err error) {
		rows, err := ask(ctx, a.sql, s, name, 3)
		for _, row := range rows {
			list = append(list, database.Blocked{ID: row[0], Blocker: row[1], Program: row[2]})
		}
		return list, err
	}
}

// sessionCount runs the section count of details.sql. Its columns are the number and the maximum.
func (a answers) sessionCount(ctx context.Context, s database.Session) (connected, most int64, err error) {
	rows, err := ask(ctx, a.sql, s, "details.count", 2)
	if err != nil {
		return 0, 0, err
	}
	if len(rows) != 1 {
		return 0, 0, fmt.Errorf("sql details.count: it returned %d rows, not one", len(rows))
	}
	if connected, err = strconv.ParseInt(rows[0][0], 10, 64); err == nil {
		most, err = strconv.ParseInt(rows[0][1], 10, 64)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("sql details.count: %w", err)
	}
	return connected, most, nil
}

// sessionDetails runs the section list of details.sql. Its columns are those of a SessionDetail.
func (a answers) sessionDetails(ctx context.Context, s database.Session, ids []string) ([]database.SessionDetail, error) {
	wanted := []string{"0"} // no session has this ID
	for _, id := range ids {
		if _, err := strconv.ParseInt(id, 10, 64); err == nil {
			wanted = append(wanted, id)
		}
	}
	const columns = 7
	text, err := a.sql.Filled("details.list", map[string]string{"ids": strings.Join(wanted, ", ")})
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, text, 0)
	if err != nil {
		return nil, err
	}
	if len(t.Columns) != columns {
		return nil, fmt.Errorf("sql details.list: it returned %d columns, not %d", len(t.Columns), columns)
	}
	list := make([]database.SessionDetail, len(t.Rows))
	for i, row := range t.Short().Rows {
		list[i] = database.SessionDetail{ID: row[0], User: row[1], Database: row[2], Client: row[3], State: row[4], Since: timeOf(row[5]), Statement: row[6]}
	}
	return list, nil
}

// lockWaits runs the section lock_waits of details.sql. Its columns are those of a LockWait.
func (a answers) lockWaits(ctx context.Context, s database.Session) (list []database.LockWait, err error) {
	rows, err := ask(ctx, a.sql, s, "details.lock_waits", 3)
	for _, row := range rows {
		list = append(list, database.LockWait{Waiter: row[0], Object: row[1], Since: timeOf(row[2])})
	}
	return list, err
}

// timeOf returns a time in microseconds since 1970, or the zero time if there is none.
func timeOf(text string) time.Time {
	µs, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(µs)
}

// counters runs the sections of counters.sql, each of which is a source. The last two columns of a section
// are the name and the value of a counter; a column before them is its object. The section sources, if
// there is one, names the sections that this version of the server has.
func (a answers) counters(ctx context.Context, s database.Session) ([]database.CounterSource, error) {
	const file, sources = "counters.", "counters.sources"
	names := a.sql.Names(file)
	if a.sql.Has(sources) {
		rows, err := ask(ctx, a.sql, s, sources, 1)
		if err != nil {
			return nil, err
		}
		names = names[:0]
		for _, row := range rows {
			names = append(names, file+row[0])
		}
	}
	var list []database.CounterSource
	for _, name := range names {
		source := database.CounterSource{Name: strings.TrimPrefix(name, file)}
		var rows [][]string
		if rows, source.Err = ask(ctx, a.sql, s, name, 2); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, row := range rows {
			v := database.CounterValue{Name: row[len(row)-2], Value: row[len(row)-1]}
			if len(row) > 2 {
				v.Of = row[0]
			}
			source.Values = append(source.Values, v)
		}
		list = append(list, source)
	}
	return list, nil
}

// counterRates runs counters_rates.sql. Its columns are those of a CounterRate.
func (a answers) counterRates(ctx context.Context, s database.Session) (list []database.CounterRate, err error) {
	rows, err := ask(ctx, a.sql, s, "counters_rates", 4)
	for _, row := range rows {
		value, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			continue // NULL: the server does not count it
		}
		list = append(list, database.CounterRate{Series: row[0], Of: row[1], Unit: row[2], Value: value})
	}
	return list, err
}

// readings runs the sections of doctor.sql. Their first columns are names and values.
func (a answers) readings(ctx context.Context, s database.Session) doctor.Readings {
	found := doctor.Readings{}
	for _, name := range a.sql.Names("doctor.") {
		section := doctor.Section{Values: map[string]string{}}
		rows, err := ask(ctx, a.sql, s, name, 2)
		for _, row := range rows {
			section.Values[strings.ToLower(row[0])] = row[1]
		}
		section.Err = err
		found[strings.TrimPrefix(name, "doctor.")] = section
	}
	return found
}

// statementCounts runs the section counts of statements.sql. Its columns are those of a StatementCount; the
// others have the server's names.
func (a answers) statementCounts(ctx context.Context, s database.Session) ([]database.StatementCount, error) {
	const own = 4 // columns
	q, err := a.sql.Query("statements.counts")
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, err
	}
	list := make([]database.StatementCount, len(t.Rows))
	for i, row := range t.Rows {
		values := make([]float64, len(row))
		for k := 1; k < len(row); k++ {
			values[k], _ = strconv.ParseFloat(row[k], 64) // NULL is 0
		}
		list[i] = database.StatementCount{ID: row[0], Calls: values[1], Milliseconds: values[2], Rows: values[3], Others: map[string]float64{}}
		for k := own; k < len(row); k++ {
			list[i].Others[t.Columns[k]] = values[k]
		}
	}
	return list, nil
}

// statementID matches the IDs of statements, which are inserted into SQL.
var statementID = regexp.MustCompile(`^[-0-9a-zA-Z]+$`)

// statementTexts runs the section texts of statements.sql. Its columns are the ID and the text.
func (a answers) statementTexts(ctx context.Context, s database.Session, ids []string) (map[string]string, error) {
	t, err := a.ofStatements(ctx, s, "statements.texts", ids)
	found := map[string]string{}
	for _, row := range t.Short().Rows {
		found[row[0]] = row[1]
	}
	return found, err
}

// ofStatements runs a query about statements.
func (a answers) ofStatements(ctx context.Context, s database.Session, name string, ids []string) (database.Table, error) {
	var list []string
	for _, id := range ids {
		if statementID.MatchString(id) {
			list = append(list, "'"+id+"'")
		}
	}
	text, err := a.sql.Filled(name, map[string]string{"ids": strings.Join(list, ", ")})
	if err != nil {
		return database.Table{}, err
	}
	return s.Query(ctx, text, 0)
}

// statementExamples runs the section examples of statements.sql. Its columns are the ID and those of a
// StatementExample, whose How is a section of statements.sql.
func (a answers) statementExamples(ctx context.Context, s database.Session, ids []string) (map[string]database.StatementExample, error) {
	t, err := a.ofStatements(ctx, s, "statements.examples", ids)
	found := map[string]database.StatementExample{}
	for _, row := range t.Rows {
		one := database.StatementExample{Text: row[1], Why: row[2], How: row[3]}
		if one.Why == "" {
			if err := database.Explainable(one.Text); err != nil {
				one.Why = err.Error()
			}
		}
		found[row[0]] = one
	}
	return found, err
}

// parameter matches a parameter of PostgreSQL, which allows mostParameters of them.
var parameter = regexp.MustCompile(`\$([0-9]+)`)

const mostParameters = 65535

// clause matches the end of the expressions that have no part in a plan. arithmetic matches parameters in place of
// constants, of which the server then cannot tell the types.
var (
	clause     = regexp.MustCompile(`(?i)\b(?:FROM|WHERE)\b`)
	arithmetic = regexp.MustCompile(`(\$[0-9]+)(\s*[-+*/]\s*)(\$[0-9]+)`)
)

// typed adds types to arithmetic with parameters alone that has no part in the plan.
func typed(query string) string {
	end := len(query)
	if at := clause.FindStringIndex(query); at != nil {
		end = at[0]
	}
	return arithmetic.ReplaceAllString(query[:end], "${1}::numeric${2}${3}::numeric") + query[end:]
}

// explainStatement runs the section of statements.sql that an example names, with the text as :query, and
// with as many NULLs as it has parameters as :nulls.
func (a answers) explainStatement(ctx context.Context, s database.Session, example database.StatementExample) (database.Table, error) {
	name, last := "statements."+example.How, 0
	for _, found := range parameter.FindAllStringSubmatch(example.Text, -1) {
		n, _ := strconv.Atoi(found[1])
		last = max(last, n)
	}
	nulls := ""
	if last > 0 && last <= mostParameters {
		nulls = "(NULL" + strings.Repeat(", NULL", last-1) + ")"
	}
	query := typed(strings.TrimRight(example.Text, "; \t\r\n"))
	text, err := sqlfile.Fill(name, a.sql.Text(name), map[string]string{"query": query, "nulls": nulls})
	if err != nil {
		return database.Table{}, err
	}
	t, err := s.Query(ctx, text, 0)
	if err != nil && ctx.Err() == nil {
		_ = s.Rollback(ctx) // of the section's transaction
	}
	return t, err
}

// tableColumns runs the section columns of statements.sql. Its columns are those of a TableColumn, with "yes" for true.
func (a answers) tableColumns(ctx context.Context, s database.Session) (list []database.TableColumn, err error) {
	rows, err := ask(ctx, a.sql, s, "statements.columns", 5)
	for _, row := range rows {
		n, _ := strconv.ParseFloat(row[4], 64) // NULL is 0
		list = append(list, database.TableColumn{Table: row[0], Column: row[1], Type: row[2], Unique: row[3] == "yes", Rows: max(0, n)})
	}
	return list, err
}

func (a answers) columnSample(ctx context.Context, s database.Session, table, column string) (database.ColumnSample, error) {
	n, err := a.ofColumn(ctx, s, "statements.sample", table, column)
	return database.ColumnSample{Rows: n[0], Filled: n[1], Distinct: n[2]}, err
}

func (a answers) columnRange(ctx context.Context, s database.Session, table, column string) (least, greatest int64, err error) {
	n, err := a.ofColumn(ctx, s, "statements.range", table, column)
	return n[0], n[1], err
}

// ofColumn runs a section of statements.sql with the names of a table and a column. Its row has whole numbers, or NULL
// for 0.
func (a answers) ofColumn(ctx context.Context, s database.Session, section, table, column string) (numbers [3]int64, err error) {
	text, err := sqlfile.Fill(section, a.sql.Text(section), map[string]string{"table": table, "column": column})
	if err != nil {
		return numbers, err
	}
	t, err := s.Query(ctx, text, 0)
	if err != nil {
		if ctx.Err() == nil {
			_ = s.Rollback(ctx) // of the section's transaction
		}
		return numbers, err
	}
	for i, cell := range t.Rows[0] {
		numbers[i], _ = strconv.ParseInt(cell, 10, 64)
	}
	return numbers, nil
}

// statementParameters runs the section parameters of statements.sql, with the statement as :query, and as :text in
// quotes.
func (a answers) statementParameters(ctx context.Context, s database.Session, text string) (types []string, err error) {
	const section = "statements.parameters"
	quoted := "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(text) + "'"
	filled, err := sqlfile.Fill(section, a.sql.Text(section), map[string]string{"query": text, "text": quoted})
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, filled, 0)
	if err != nil {
		if ctx.Err() == nil {
			_ = s.Rollback(ctx) // of the section's transaction
		}
		return nil, err
	}
	for _, row := range t.Rows {
		types = append(types, row[0])
	}
	return types, nil
}

// calibrate runs calibrate.sql. Its first columns are the steps and the milliseconds.
func (a answers) calibrate(ctx context.Context, s database.Session) (steps int64, took time.Duration, err error) {
	rows, err := ask(ctx, a.sql, s, "calibrate", 2)
	if err != nil {
		return 0, 0, err
	}
	if len(rows) != 1 {
		return 0, 0, fmt.Errorf("sql calibrate: it returned %d rows, not one", len(rows))
	}
	if steps, err = strconv.ParseInt(rows[0][0], 10, 64); err != nil {
		return 0, 0, fmt.Errorf("sql calibrate: %w", err)
	}
	milliseconds, err := strconv.ParseInt(rows[0][1], 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("sql calibrate: %w", err)
	}
	return steps, time.Duration(milliseconds) * time.Millisecond, nil
}

// flush looks up its statement in advance, because users run it while they are measured.
func (a answers) flush() func(context.Context, database.Session) error {
	q, err := a.sql.Query("flush")
	return func(ctx context.Context, s database.Session) error {
		if err != nil {
			return err
		}
		return s.Exec(ctx, q.Text)
	}
}

// explainer returns a function that runs the statement with that name, in which it replaces :query
// by the query.
func (a answers) explainer(name string) database.Explainer {
	return func(ctx context.Context, s database.Session, query string) (database.Table, error) {
		text, err := a.sql.Filled(name, map[string]string{"query": query})
		if err != nil {
			return database.Table{}, err
		}
		return s.Query(ctx, text, 0)
	}
}
