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

// built is the environment variable with the options of a build that this program is to begin
// and not to end, in place of its tests.
const built = "SLEDGE_TEST_DB2_BUILDS"

func TestMain(m *testing.M) {
	if options := os.Getenv(built); options != "" {
		fmt.Println(buildForEver(options))
		os.Exit(1)
	}
	testserver.Main(m)
}

// buildForEver builds until a part of the rows is loaded, says so, and stands still.
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

// starJob does a job on the smallest schema of TPROC-H.
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

// TestABuildIsAlone pauses a build in another process: meanwhile builds and deletes fail, and
// after it is killed, its build is resumed.
func TestABuildIsAlone(t *testing.T) {
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
		_ = other.Process.Kill() // it has been, unless the test failed
		_ = other.Wait()         // says that it was killed
		if err := do(job.Delete, false); err != nil {
			t.Error(err)
		}
		s := derbySession(t)
		if _, err := s.Query(context.Background(), "SELECT held_by_a_lock FROM "+claimTable, 0); state(err) != noTable[1] {
			t.Errorf("got %v, want the table of claims gone with the schema", err)
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
				return fmt.Errorf("%s beside a build: got %v with exit code %d, want that another build is running and %d", spec.Action, err, job.ExitOf(err), job.ExitExists)
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

// A foreign table of that name is kept.
func TestClaim_LeavesForeignTables(t *testing.T) {
	for what, create := range map[string]string{"of other columns": "CREATE TABLE sledge_claim (n INTEGER)", "with rows": "CREATE TABLE sledge_claim (held_by_a_lock SMALLINT)"} {
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
