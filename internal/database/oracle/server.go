package oracle

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// errNoSystem means that the session is already the system user's.
var errNoSystem = errors.New("there is no other user to try")

// refusals holds the errors of refused logins of the system user.
var refusals = struct {
	sync.Mutex
	of map[string]error
}{of: map[string]error{}}

// newServer is Database.Server. If the session's user may not read the views with settings and
// counts, the system user does.
func newServer(sql *sqlfile.Library) database.Server {
	server := sqlschema.NewServer(sql)
	server.Settings = func(ctx context.Context, s database.Session) (map[string]string, error) {
		return readSettings(ctx, sql, s)
	}
	server.Counter = func(ctx context.Context, s database.Session) (int64, error) { return count(ctx, sql, s) }
	server.Explain, server.ExplainTimed = explainPlan, explainTimed
	return server
}

// readSettings reads the settings. If no user may read them, it returns an empty map, and
// durability reports that.
func readSettings(ctx context.Context, sql *sqlfile.Library, s database.Session) (map[string]string, error) {
	q, err := sql.Query("server.settings")
	if err != nil {
		return nil, err
	}
	t, err := asSystem(ctx, s, q.Text)
	settings := map[string]string{}
	if err != nil {
		if n := number(err); n == errNoTable || n == errNoRights {
			return settings, nil
		}
		return nil, err
	}
	for _, row := range t.Rows {
		settings[row[0]] = row[1]
	}
	return settings, nil
}

// count reads the server's own count: of this instance, or of all instances of a cluster if the
// option rac is set.
func count(ctx context.Context, sql *sqlfile.Library, s database.Session) (int64, error) {
	name := "counter"
	if own, is := s.(*session); is && own.options.at().isRAC() {
		name = "counter.rac"
	}
	q, err := sql.Query(name)
	if err != nil {
		return 0, err
	}
	t, err := asSystem(ctx, s, q.Text)
	if err != nil {
		return 0, err
	}
	if len(t.Rows) != 1 {
		return 0, fmt.Errorf("sql %s: it returned %d rows, not one", name, len(t.Rows))
	}
	return strconv.ParseInt(t.Rows[0][0], 10, 64)
}

// explainPlan is Server.Explain. The server writes the plan into a temporary table of the session,
// and explainPlan reads it there.
func explainPlan(ctx context.Context, s database.Session, query string) (database.Table, error) {
	if err := s.Exec(ctx, "EXPLAIN PLAN SET STATEMENT_ID = 'sledge' FOR "+query); err != nil {
		return database.Table{}, err
	}
	return s.Query(ctx, "SELECT plan_table_output FROM TABLE(DBMS_XPLAN.DISPLAY(NULL, 'sledge', 'TYPICAL'))", 0)
}

// explainTimed is Server.ExplainTimed. The server keeps the times of the session's last query.
// Reading them needs the right to read v$sql_plan_statistics_all.
func explainTimed(ctx context.Context, s database.Session, query string) (database.Table, error) {
	if err := s.Exec(ctx, "ALTER SESSION SET STATISTICS_LEVEL = ALL"); err != nil {
		return database.Table{}, err
	}
	if _, err := s.Query(ctx, query, 0); err != nil {
		return database.Table{}, err
	}
	t, err := s.Query(ctx, "SELECT plan_table_output FROM TABLE(DBMS_XPLAN.DISPLAY_CURSOR(NULL, NULL, 'ALLSTATS LAST'))", 0)
	if err == nil && len(t.Rows) > 0 && strings.Contains(t.Rows[0][0], "no SELECT privilege") {
		err = errors.New("the user may not read the views that contain the plan with times: run GRANT SELECT_CATALOG_ROLE TO the user")
	}
	return t, errors.Join(err, s.Exec(ctx, "ALTER SESSION SET STATISTICS_LEVEL = TYPICAL"))
}

// planStep matches a row of a plan's table: the number of the step, after an asterisk if it has a
// predicate, the indented operation, and its object.
var planStep = regexp.MustCompile(`^\|\*?\s*\d+ \|( .*?)\s*\|\s*([^|]*?)\s*\|`)

// readPlan is Dialect.ReadPlan. It reads the output of DBMS_XPLAN.
func readPlan(answer database.Table) []job.PlanLine {
	var lines []job.PlanLine
	for _, row := range answer.Rows {
		text := strings.TrimRight(row[0], " ")
		line := job.PlanLine{Text: text}
		if m := planStep.FindStringSubmatch(text); m != nil {
			line.Step = strings.TrimRight(m[1]+" "+m[2], " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// durability is Runs.Durability. The call of a routine also commits, and waits for the redo log
// unless a setting prevents it. A COMMIT in PL/SQL would not wait.
func durability(settings map[string]string) (durable bool, why string) {
	wait, known := settings["commit_wait"]
	write := strings.ToUpper(settings["commit_write"])
	switch {
	case !known:
		return false, "commit_wait is unknown, because the users may not read v$parameter"
	case strings.EqualFold(wait, "NOWAIT") || strings.EqualFold(wait, "FORCE_NOWAIT"):
		return false, "commit_wait is " + wait
	case wait == "NULL" && strings.Contains(write, "NOWAIT"):
		return false, "commit_write is " + settings["commit_write"]
	}
	said := []string{"commits wait for the redo log"}
	if mode := settings["log_mode"]; mode != "" {
		said = append(said, "log_mode is "+mode)
	}
	if logging := settings["commit_logging"]; logging != "" && logging != "NULL" {
		said = append(said, "commit_logging is "+logging)
	}
	return true, strings.Join(said, ", ")
}
