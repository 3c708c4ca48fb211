//go:build bench

package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"

	"sledge/internal/engine/plan"
)

// runSysbench runs sysbench with our script, which makes the same calls as sledge, in a thread for
// each user. It returns nil if sysbench is not installed.
func (m mySQL) runSysbench(t *testing.T) func(reachable) program {
	t.Helper()
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Logf("%s is not compared with sysbench, which is not installed: %v", m.title(), err)
		return nil
	}
	script := filepath.Join(t.TempDir(), "routines.lua")
	if err := writeSysbenchScript(script, m.plan(t, cpuWarehouses())); err != nil {
		t.Fatal(err)
	}
	return func(server reachable) program {
		to := server.(mySQL)
		login := []string{"--mysql-host=" + to.Host, "--mysql-port=" + strconv.Itoa(to.Port)}
		if to.socket != "null" {
			login = []string{"--mysql-socket=" + to.socket}
		}
		return func(users int, length time.Duration) ended {
			return execute(t, nil, "sysbench", append(login, "--db-driver=mysql", "--mysql-user="+to.Superuser, "--mysql-password="+to.Password,
				"--mysql-db="+to.database, "--mysql-ssl=off", "--threads="+strconv.Itoa(users), "--events=0",
				"--time="+strconv.Itoa(int(length.Seconds())), "--warehouses="+strconv.Itoa(cpuWarehouses()), script, "run")...)
		}
	}
}

// writeSysbenchScript replaces {{queries "procedure.slev"}} in our script by sledge's statements,
// with Lua variables as parameters.
func writeSysbenchScript(to string, plan plan.Plan) error {
	queries := func(name string) (string, error) {
		q, err := plan.SQL.Query(name)
		if err != nil {
			return "", err
		}
		params := q.Params
		var calls []string
		for statement := range strings.SplitSeq(q.Text, ";") {
			n := strings.Count(statement, "?")
			arguments := append([]string{strconv.Quote(strings.TrimSpace(strings.ReplaceAll(statement, "?", "%s")))}, params[:n]...)
			params = params[n:]
			calls = append(calls, fmt.Sprintf("con:query(string.format(%s))", strings.Join(arguments, ", ")))
		}
		return strings.Join(calls, "\n   "), nil
	}
	return expand(to, "testdata/sysbench/routines.lua", template.FuncMap{"queries": queries})
}
