package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestLabelsAndANoteStayWithAJob(t *testing.T) {
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
		"run --db sqlite --note " + "\x1b[2J":                   "--note: it holds a character that cannot be printed",
		"jobs list --label =x":                                  "--label",
		"jobs list --label ticket=4711 --label ticket=somewhat": "--label",
	} {
		if code := w.run(strings.Fields(args)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("%s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}
