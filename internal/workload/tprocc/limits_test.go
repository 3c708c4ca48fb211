package tprocc_test

import (
	"context"
	"os"
	command "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/report"
)

// These tests plant what limits or slows a run, and look for its name in the sentence on what limited the run. None
// compares figures of speed.

// limitOf returns the sentence on what limited a run.
func limitOf(t *testing.T, result job.Result) string {
	t.Helper()
	spec := job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: result.Users}
	for _, g := range report.Grounds(job.Job{Spec: spec, Status: result.Status, Result: result}, result.Summary) {
		if g.Name == "Limit" {
			t.Log(g.Text)
			return g.Text
		}
	}
	t.Fatalf("got %+v, want a sentence on what limited the run", result)
	return ""
}

// mustSay fails the test unless the sentence has all texts.
func mustSay(t *testing.T, sentence string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(sentence, text) {
			t.Errorf("got %q, want %q in it", sentence, text)
		}
	}
}

func TestLimit_NamesTheHolderOfALockedRow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	holder := b.connectAs(t, database.Owner)
	defer holder.Close()
	do := func(statements ...string) {
		for _, statement := range statements {
			if err := holder.Exec(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
	}
	lock := &trigger{after: time.Second, do: func() { do("BEGIN", "UPDATE district SET d_ytd = d_ytd WHERE d_id = 7") }}
	said := &messages{}
	said.when("The time is up: ", func() { do("ROLLBACK") })
	result, err := b.do(t, job.Spec{Action: job.Run, Users: 4}, job.Control{Watchers: []job.Watcher{lock, said}}, "rampup", "0s", "duration", "8s", "mix", "1,1,0,0,0")
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, limitOf(t, result), "limited by locks", "most in ", "waited for session ", "whose newest statement was UPDATE district SET d_ytd = d_ytd WHERE d_id = ?, from second ")
}

func TestLimit_NamesACheckpoint(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.connect(t)
	defer admin.Close()
	force := &trigger{after: time.Second, do: func() {
		if err := admin.Exec(context.Background(), "CHECKPOINT"); err != nil {
			t.Error(err)
		}
	}}
	spec := job.Spec{Action: job.Run, Users: 2, Options: unhurriedFor("4s")}
	result, err := b.do(t, spec, job.Control{Watchers: []job.Watcher{force}})
	if err != nil {
		t.Fatal(err)
	}
	list := result.Background
	if len(list) == 0 || list[0].Work != "checkpoint" || list[0].From < 0 || list[0].Until <= list[0].From || list[0].Until > result.Elapsed {
		t.Fatalf("got %+v, want the checkpoint in the measured time", list)
	}
	mustSay(t, limitOf(t, result), "a checkpoint", "from second ")
}

func TestLimit_NamesSlowFlushes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.SlowFlushes(50 * time.Millisecond)
	for try := 1; ; try++ {
		result, err := b.do(t, job.Spec{Action: job.Run, Users: 3}, job.Control{}, "rampup", "0s", "duration", "5s", "mix", "1,0,0,0,0")
		if err != nil {
			t.Fatal(err)
		}
		says := limitOf(t, result)
		if strings.HasPrefix(says, "limited by other programs") && try < 4 {
			continue // the machine is so busy that transactions wait longer for a core than for a flush
		}
		mustSay(t, says, "limited by log flushes", "most in new order", "a flush takes ")
		return
	}
}

// Three times as many processes as the machine has cores compute all the time.
func TestLimit_NamesABusyNeighbour(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports the processes of a machine")
	}
	b := newBench(t)
	shell, err := command.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	neighbour := filepath.Join(t.TempDir(), "neighbour")
	if err := os.Symlink(shell, neighbour); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var burners []*command.Cmd
	defer func() {
		stop()
		for _, burner := range burners {
			_ = burner.Wait() // it was killed
		}
	}()
	begin := plantest.Watcher(func(e job.Event) {
		if e.Phase == nil || e.Phase.Name != job.RampUp {
			return
		}
		for range 3*runtime.NumCPU() + 2 {
			burner := command.CommandContext(ctx, neighbour, "-c", "while :; do :; done")
			if err := burner.Start(); err != nil {
				t.Error(err)
				continue
			}
			burners = append(burners, burner)
		}
	})
	result, err := b.do(t, job.Spec{Action: job.Run, Users: 2}, job.Control{Watchers: []job.Watcher{begin}}, "rampup", "1s", "duration", "1s")
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, limitOf(t, result), "limited by other programs on the server's machine", "neighbour ")
}
