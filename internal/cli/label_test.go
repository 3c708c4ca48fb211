package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestLabels_AreRecordedWithTheNote(t *testing.T) {
	w := newWorld(t)
	if code := w.run("run", "--db", "sqlite", "--label", "ticket=4711", "--label", "kernel=6.1", "--note", "after the upgrade"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if code := w.run("run", "--db", "sqlite", "--label", "ticket=4712"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	first := w.jobs(t)[1].ID
	w.run("jobs", "show", string(first))
	for _, want := range []string{"ticket=4711", "kernel=6.1", "after the upgrade"} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("got %s, want %q in it", &w.out, want)
		}
	}
	w.run("jobs", "show", string(first), "--json")
	var shown struct {
		Labels map[string]string
		Note   string
	}
	if err := json.Unmarshal(w.out.Bytes(), &shown); err != nil || shown.Labels["ticket"] != "4711" || shown.Note != "after the upgrade" {
		t.Errorf("got %+v and error %v", shown, err)
	}
	for _, tt := range []struct {
		labels string
		want   int
	}{{"--label ticket", 2}, {"--label ticket=4711", 1}, {"--label ticket --label kernel=6.1", 1}, {"--label ticket=4713", 0}} {
		w.run(append([]string{"jobs", "list", "--json"}, strings.Fields(tt.labels)...)...)
		var list struct{ Jobs []struct{ ID job.ID } }
		if err := json.Unmarshal(w.out.Bytes(), &list); err != nil || len(list.Jobs) != tt.want {
			t.Errorf("%s: got %+v and error %v, want %d jobs", tt.labels, list, err, tt.want)
		}
	}
	for args, want := range map[string]string{
		"run --db sqlite --label smoke":                         `--label: "smoke" has no value: write name=value`,
		"run --db sqlite --label a=1 --label a=2":               "--label: a is given twice",
		"run --db sqlite --note " + "\x1b[2J":                   "--note: it contains a character that cannot be printed",
		"jobs list --label =x":                                  "--label",
		"jobs list --label ticket=4711 --label ticket=somewhat": "--label",
	} {
		if code := w.run(strings.Fields(args)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("%s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}

func TestLabels_CanBeChangedWithTheNote(t *testing.T) {
	w := newWorld(t)
	w.run("run", "--db", "sqlite", "--label", "ticket=4711", "--note", "before")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"label", "last", "kernel=6.1", "ticket=4712"}, "kernel=6.1  ticket=4712  before\n"},
		{[]string{"label", "last", "--remove", "ticket", "--remove", "none"}, "kernel=6.1  before\n"},
		{[]string{"note", "last", "after the upgrade"}, "kernel=6.1  after the upgrade\n"},
		{[]string{"note", "last", ""}, "kernel=6.1\n"},
	} {
		if code := w.run(append([]string{"jobs"}, tt.args...)...); code != job.OK || !strings.HasSuffix(w.out.String(), tt.want) {
			t.Errorf("%q: got exit code %d and %q, want %q: %s", tt.args, code, &w.out, tt.want, &w.err)
		}
	}
	if w.run("jobs", "list", "--text", "KERNEL=6.1 sqlite"); !strings.Contains(w.out.String(), "run") {
		t.Errorf("got %q, want the job", &w.out)
	}
	if w.run("jobs", "list", "--text", "4711"); !strings.Contains(w.out.String(), "No jobs found") {
		t.Errorf("got %q, want none", &w.out)
	}
	for args, want := range map[string]string{
		"jobs label last":                "name=value",
		"jobs label last a=1 a=2":        "label a is given twice",
		"jobs label last a=1 --remove a": "label a is given twice",
		"jobs label last smoke":          `"smoke" has no value`,
		"jobs label":                     "name a job",
		"jobs note last":                 "name a job, and then its note",
		"jobs note last " + "\x1b[2J":    "the note: it contains a character that cannot be printed",
		"jobs profile 3 x":               `"x" is not the number`,
		"jobs profile 3 4 --hammerdb":    "--hammerdb",
	} {
		if code := w.run(strings.Fields(args)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("%s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}
