//go:build bench

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/catalog"
	"sledge/internal/database/postgresql"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/workload/tproch"
)

// TestTprochBuildPostgreSQL compares a complete build of TPROC-H at scale 1, from an empty server
// to a schema with keys, indexes, references and statistics, with psql: \copy of existing files and
// then the same statements, each with as many psql at a time as builders.
func TestTprochBuildPostgreSQL(t *testing.T) {
	scale := "1"
	if testing.Short() {
		scale = "0.1"
	}
	p := openPostgreSQL(t, "bench_tproch")
	plan, tables := tprochPlan(t, p, scale)
	shares := writeLoadFiles(t, tables, builders)
	var built, byHand []float64
	var stages [3][]float64
	for range rounds() {
		p.drop(t)
		arguments := sledge("build", p.name(), p.values(), "--workload", "tproch", "--scale", scale, "--builders", fmt.Sprint(builders))
		built = append(built, execute(t, nil, sledgeProgram, arguments...).wall.Seconds())

		p.drop(t)
		create, err := plan.CreateStatements()
		if err != nil {
			t.Fatal(err)
		}
		p.execute(t, "", "CREATE DATABASE "+p.database)
		p.execute(t, p.database, create...)
		loaded := loadBare(t, p, shares).Seconds()
		completed := psqlEach(t, p, plan, tables, "indexes").Seconds() + psqlSteps(t, p, plan, "indexes", "references").Seconds() +
			psqlEach(t, p, plan, tables, "references").Seconds()
		finished := psqlEach(t, p, plan, tables, "finish").Seconds() + psqlSteps(t, p, plan, "finish").Seconds()
		for i, seconds := range []float64{loaded, completed, finished} {
			stages[i] = append(stages[i], seconds)
		}
		byHand = append(byHand, loaded+completed+finished)
	}
	p.drop(t)
	ratio := ratios(built, byHand)
	note(t, figure{
		What:  fmt.Sprintf("%s: build of TPROC-H at scale %s, %d builders, against psql: the same files, keys, indexes, references and statistics, %d at a time", p.title(), scale, builders, builders),
		Value: median(ratio), Unit: "x", Target: atMost(1.1),
		Detail: fmt.Sprintf("%.1f s against %.1f s, of which \\copy %.1f, keys to references %.1f, statistics %.1f; %s",
			median(built), median(byHand), median(stages[0]), median(stages[1]), median(stages[2]), spread(ratio)),
	})
}

// tprochPlan returns the plan of a build, which has the statements, and the tables.
func tprochPlan(t *testing.T, p postgreSQL, scale string) (plan.Plan, []schema.Table) {
	t.Helper()
	values := p.values()
	values["scale_factor"] = scale
	plan, err := plan.New(catalog.Pair{Database: postgresql.Database, Workload: tproch.Workload}, job.Spec{Options: values})
	if err != nil {
		t.Fatal(err)
	}
	return plan, plan.Workload.Schema.Tables(plan.Settings, plan.Spec.Seed)
}

// psqlEach runs the statements of each table in a step, largest table first, with one psql per
// table and as many at a time as a build has builders.
func psqlEach(t *testing.T, p postgreSQL, plan plan.Plan, tables []schema.Table, step string) time.Duration {
	t.Helper()
	var scripts []string
	for _, table := range tables {
		scripts = append(scripts, psqlScript(t, plan, step+"."+table.Name)...)
	}
	return psqlScripts(t, p, scripts)
}

// psqlSteps runs the statements of steps that concern all tables, one step after another.
func psqlSteps(t *testing.T, p postgreSQL, plan plan.Plan, steps ...string) (took time.Duration) {
	t.Helper()
	for _, step := range steps {
		took += psqlScripts(t, p, psqlScript(t, plan, step))
	}
	return took
}

// psqlScript writes the statements of a step to a file, if there are any.
func psqlScript(t *testing.T, plan plan.Plan, step string) []string {
	t.Helper()
	statements, err := plan.Schema.Step(step)
	if err != nil {
		t.Fatal(err)
	}
	if len(statements) == 0 {
		return nil
	}
	var text string
	for _, s := range statements {
		text += s + ";\n"
	}
	file := filepath.Join(t.TempDir(), step+".sql")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{file}
}

// psqlScripts runs scripts, as many at a time as a build has builders.
func psqlScripts(t *testing.T, p postgreSQL, files []string) time.Duration {
	t.Helper()
	var clients errgroup.Group
	clients.SetLimit(builders)
	start := time.Now()
	for _, file := range files {
		clients.Go(func() error {
			env, arguments := p.login()
			arguments = append(arguments, "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file="+file, p.database)
			if output, err := command(t, env, "psql", arguments...).CombinedOutput(); err != nil {
				return fmt.Errorf("psql %s: %w\n%s", filepath.Base(file), err, lastLines(string(output)))
			}
			return nil
		})
	}
	if err := clients.Wait(); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}
