//go:build (linux && db2) || darwin

package db2

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"sledge/internal/catalog"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tproch"
)

// built is an environment variable with the options of a build. If it is set, this program begins
// that build and pauses it, instead of running its tests.
const built = "SLEDGE_TEST_DB2_BUILDS"

func TestMain(m *testing.M) {
	if options := os.Getenv(built); options != "" {
		fmt.Println(buildForEver(options))
		os.Exit(1)
	}
	testserver.Main(m)
}

// buildForEver builds until some of the rows are loaded, prints stoppedLine, and blocks.
func buildForEver(options string) error {
	spec := job.Spec{Action: job.Build}
	if err := json.Unmarshal([]byte(options), &spec.Options); err != nil {
		return err
	}
	_, err := starJob(context.Background(), spec, stopper{})
	return fmt.Errorf("the build has ended: %w", err)
}

const stoppedLine = "stopped"

type stopper struct{}

func (stopper) Watch(e job.Event) {
	if e.Progress != nil && e.Progress.Done > 20_000 {
		fmt.Println(stoppedLine)
		select {}
	}
}

// starJob runs a job on the smallest schema of TPROC-H.
func starJob(ctx context.Context, spec job.Spec, watchers ...job.Watcher) (job.Result, error) {
	pair := catalog.Pair{Database: onDerby(), Workload: tproch.Workload}
	spec.Database, spec.Workload, spec.Users = pair.Database.Name, pair.Workload.Name, 1
	spec.Options = spec.Options.Clone()
	if spec.Action == job.Build {
		spec.Options["scale_factor"] = smallest
	}
	plan, err := plan.New(pair, spec)
	if err != nil {
		return job.Result{}, err
	}
	return engine.Local{Version: "test"}.DoPlan(ctx, plan, job.Control{Watchers: watchers})
}

// TestBuild_IsExclusive pauses a build in another process. Builds and deletes fail meanwhile. After
// the process is killed, the build is resumed.
func TestBuild_IsExclusive(t *testing.T) {
	values := option.Values(testserver.Open(t, "derby").Values())
	do := func(action job.Action, resume bool) error {
		_, err := starJob(context.Background(), job.Spec{Action: action, Resume: resume, Options: values})
		return err
	}
	options, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), program)
	other.Env = append(os.Environ(), built+"="+string(options))
	output, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = other.Process.Kill() // it was already killed, unless the test failed
		_ = other.Wait()         // returns an error, because the process was killed
		if err := do(job.Delete, false); err != nil {
			t.Error(err)
		}
		s := derbySession(t)
		if _, err := s.Query(context.Background(), "SELECT held_by_a_lock FROM "+claimTable, 0); state(err) != noTable[1] {
			t.Errorf("got %v, want the claim's table dropped with the schema", err)
		}
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || strings.TrimSpace(line) != stoppedLine {
		t.Fatalf("got %q, %v", line, err)
	}
	var beside errgroup.Group
	for _, spec := range []job.Spec{{Action: job.Build, Resume: true}, {Action: job.Delete}} {
		beside.Go(func() error {
			err := do(spec.Action, spec.Resume)
			if job.ExitOf(err) != job.ExitExists || !strings.Contains(err.Error(), "another build or deletion is running") || !strings.Contains(err.Error(), "transaction ") {
				return fmt.Errorf("%s beside a build: got %v with exit code %d, want an error about another build, and %d", spec.Action, err, job.ExitOf(err), job.ExitExists)
			}
			return nil
		})
	}
	if err := beside.Wait(); err != nil {
		t.Error(err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := do(job.Build, true); err != nil {
		t.Fatalf("the build was not resumed: %v", err)
	}
	if err := do(job.Check, false); err != nil {
		t.Error(err)
	}
}

// A claim fails if another program has a table with that name, and does not change the table.
func TestClaim_LeavesForeignTables(t *testing.T) {
	for what, create := range map[string]string{"with other columns": "CREATE TABLE sledge_claim (n INTEGER)", "with rows": "CREATE TABLE sledge_claim (held_by_a_lock SMALLINT)"} {
		t.Run(what, func(t *testing.T) {
			s := derbySession(t, "DROP TABLE sledge_claim")
			for _, statement := range []string{create, "INSERT INTO sledge_claim VALUES (1)"} {
				if err := s.Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			plan, err := plan.New(catalog.Pair{Database: onDerby(), Workload: tproch.Workload}, job.Spec{Action: job.Build, Options: option.Values(testserver.Open(t, "derby").Values())})
			if err != nil {
				t.Fatal(err)
			}
			if taken, err := plan.Schema.Claims.Take(t.Context(), derbySession(t)); taken || !errors.Is(err, errNotOurs) {
				t.Errorf("got %t, %v, want %v", taken, err, errNotOurs)
			}
		})
	}
}
