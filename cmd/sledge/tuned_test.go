package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

// TestExperiment_KilledRestoresTheServer kills an experiment that changes settings of the server, and
// performs it again.
func TestExperiment_KilledRestoresTheServer(t *testing.T) {
	t.Parallel() // it mostly waits
	server := testserver.Open(t, "postgresql")
	values := unhurried(server.Values())
	values["dbname"], values["user"] = "tuned", "tuned"
	p := newProgram(t, values)
	p.must("build", "--db", "pg")
	defer p.must("delete", "--db", "pg", "--yes")
	read := func() string {
		text, err := os.ReadFile(filepath.Join(server.Dir, "postgresql.auto.conf"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := read()
	folder := t.TempDir()
	plan := filepath.Join(folder, "memory.toml")
	for name, text := range map[string]string{
		plan:                                 `db = "pg"` + "\nrampup = \"0s\"\nduration = \"2s\"\n[experiment]\nparams = \"params.json\"\n[server]\nrandom_page_cost = [1.1, 4]\n",
		filepath.Join(folder, "params.json"): `{"work_mem": ["1MB", "2MB"]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := p.start("experiment", "run", plan)
	p.untilMeasured()
	if changed := read(); !strings.Contains(changed, "work_mem") || !strings.Contains(changed, "random_page_cost") {
		t.Errorf("got %q during a run, want both settings changed", changed)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait(c)
	if read() == before {
		t.Error("the killed process has restored the settings, so this test shows nothing")
	}
	if out := p.must("experiment", "restore", plan); !strings.Contains(out, "no setting is left changed") || read() != before {
		t.Errorf("got %q and %q, want %q", out, read(), before)
	}
	stdout, stderr, exit := p.run("experiment", "run", plan)
	if exit != job.OK || !strings.Contains(stderr, "of which 4 are left") || !strings.Contains(stdout, "server.work_mem") {
		t.Errorf("exit code %d: %s%s", exit, stdout, stderr)
	}
	if after := read(); after != before {
		t.Errorf("got %q after the experiment, want %q", after, before)
	}
	list := p.must("jobs", "list", "--label", "server.work_mem=2MB", "--status", "succeeded")
	list += p.must("jobs", "list", "--label", "server.work_mem=2MB", "--status", "invalid") // the machine may be busy with other tests
	if strings.Count(list, "/tuned") != 2 {
		t.Errorf("got %s, want two runs", list)
	}
	// The reference of the best combination has the server's own settings. One pair decides nothing.
	stdout, stderr, exit = p.run("experiment", "confirm", plan, "--pairs", "1")
	if exit != job.ExitUsage || !strings.Contains(stdout, "with the server's own settings") || !strings.Contains(stdout, "server's work_mem") || read() != before {
		t.Errorf("exit code %d, and %q is left: %s%s", exit, read(), stdout, stderr)
	}
	// Another program asks for values that the plan does not have. One that the server refuses is an answer.
	try := p.command("experiment", "try", plan)
	try.Stdin = strings.NewReader("{\"server.work_mem\": \"3MB\"}\n{\"server.work_mem\": \"much\"}\n{\"server.work_mem\": \"1MB\"}\n")
	answers, _ := try.Output()
	lines := strings.Split(string(answers), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], `"values":["3MB","1.1"]`) || !strings.Contains(lines[0], `"median"`) || !strings.Contains(lines[1], "much") || !strings.Contains(lines[2], `"median"`) || read() != before {
		t.Errorf("got %s, and %q is left", answers, read())
	}
	// A mistake ends the experiment before its first run.
	if err := os.WriteFile(plan, []byte("db = \"pg\"\n[server]\nshared_buffers = [\"1GB\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := p.run("experiment", "run", plan); exit != job.ExitUsage || !strings.Contains(stderr, "must be restarted") || read() != before {
		t.Errorf("a setting that needs a restart: exit code %d: %s", exit, stderr)
	}
}
