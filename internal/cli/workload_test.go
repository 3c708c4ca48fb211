package cli

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// A workload of the user's is made, built, run, repeated from its job without its folder, and deleted.
// Tables that no build of Sledge made are not dropped.
func TestWorkload_OfTheUserOnSQLite(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t) // the tests of the engine cover races
	w := newWorld(t)
	w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
	folder := filepath.Join(t.TempDir(), "mine")
	file := filepath.Join(t.TempDir(), "test.sqlite")
	step := func(want job.Exit, text string, args ...string) {
		t.Helper()
		if code := w.run(args...); code != want || !strings.Contains(w.out.String()+w.err.String(), text) {
			t.Errorf("sledge %s: got exit code %d, %q and %q, want %d and %q", strings.Join(args, " "), code, &w.out, &w.err, want, text)
		}
	}
	here := []string{"--db", "sqlite", "--dbname", file, "--workload", folder}
	on := func(args ...string) []string { return append(args, here...) }
	step(job.ExitUsage, "did you mean shop?", "workload", "new", folder, "--like", "shp")
	step(job.OK, "Made "+folder, "workload", "new", folder)
	step(job.ExitUsage, "file exists", "workload", "new", folder)
	step(job.OK, "✓ Web shop: 3 tables, 3 transactions with 6 statements, 2 rules.", "workload", "check", folder)
	step(job.OK, "c_spent is the sum of the customer's sales", "workload", "show", folder)
	step(job.OK, "number of products", "options", "sqlite", folder)
	step(job.ExitUsage, "did you mean products?", on("build", "--set", "product=5")...)
	step(job.OK, "product", on("build", "--set", "products=500", "--set", "customers=50")...)
	step(job.OK, "500 products, 50 customers", on("run", "--set", "mix=buy=0", "--users", "2", "--rampup", "0s", "--duration", "1s")...)
	run := w.jobs(t)[0]
	step(job.OK, "all 3 rules hold", on("check")...)
	step(job.ExitCheck, "products", on("check", "--set", "products=400")...)

	statement := filepath.Join(folder, "browse.sql")
	if err := os.WriteFile(statement, []byte("SELECT p_nam FROM product WHERE p_id = :p_id"), 0o644); err != nil {
		t.Fatal(err)
	}
	step(job.ExitError, "statement at line 1 of browse.sql", on("run", "--duration", "1s")...)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	step(job.ExitUsage, "is not a workload", on("run")...)
	bundle := filepath.Join(t.TempDir(), "run.zip")
	step(job.OK, bundle, "bundle", string(run.ID), "--output", bundle)
	step(job.ExitUsage, "whose SQL would be executed", "rerun", bundle, "--db", "sqlite", "--dbname", file)
	other := filepath.Join(t.TempDir(), "mine")
	step(job.OK, "the workload mine of job", "workload", "new", other, "--of", bundle)
	step(job.ExitUsage, "client TPM of B against A", "rerun", bundle, "--db", "sqlite", "--dbname", file, "--workload", other)
	step(job.OK, "purchases", "jobs", "show", string(run.ID))

	step(job.ExitUsage, "none of the others can be", "workload", "new", folder, "--of", string(run.ID), "--like", "shop")
	step(job.OK, "the workload mine of job "+string(run.ID), "workload", "new", folder, "--of", string(run.ID))
	step(job.ExitUsage, "file exists", "workload", "new", folder, "--of", string(run.ID))
	config := filepath.Join(filepath.Dir(folder), "sledge.toml")
	if err := os.WriteFile(config, []byte("db = 'sqlite'\nworkload = './mine'\n[options]\nproducts = 500\nmix = 'browse=9'\ndbname = '"+file+"'\nduration = '1s'\nrampup = '0s'\n[experiment]\nbuild = 'once'\n[vary]\ncustomers = [50, 60]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	step(job.OK, "all 4 rules hold", "check", "--config", config)
	step(job.OK, "run  customers  repetition", "experiment", "run", config, "--dry-run")
	step(job.OK, "--workload=./mine", "run", "--config", config, "--as", "command")
	change := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	change("ALTER TABLE sledge_built_mine RENAME TO aside")
	step(job.ExitExists, "another program may have built them", on("delete", "--yes")...)
	change("ALTER TABLE aside RENAME TO sledge_built_mine")
	step(job.OK, "Dropped the tables sledge_built_mine, product, customer, sale", on("delete", "--yes")...)
}

// Users of two workloads work in one database, each with its transactions and figures.
func TestWorkload_BesideAnother(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t) // the tests of the engine cover races
	w := newWorld(t)
	w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
	folder := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("reports/workload.toml", "[options.least]\ndefault = 0\nhelp = 'the least number sold'\n[transactions.best]\nread_only = true\nparameters.sold = { expression = ':least' }\n")
	put("reports/best.sql", "SELECT p_kind, SUM(p_sold) AS sold FROM product WHERE p_sold >= :sold GROUP BY p_kind")
	shop := filepath.Join(folder, "shop")
	here := []string{"--db", "sqlite", "--dbname", filepath.Join(folder, "test.sqlite"), "--workload", shop}
	reports := filepath.Join(folder, "reports")
	for _, step := range []struct {
		args []string
		want job.Exit
		text string
	}{
		{[]string{"workload", "new", shop}, job.OK, "Made"},
		{append([]string{"build", "--set", "products=500"}, here...), job.OK, "product"},
		{append([]string{"run", "--beside", "reports"}, here...), job.ExitUsage, `"reports" is not a group of users`},
		{append([]string{"run", "--beside", "reports=" + reports + ",users=0"}, here...), job.ExitUsage, `users: "0" is not a number`},
		{append([]string{"run", "--beside", "reports=" + reports + ",last=1"}, here...), job.ExitUsage, "did you mean least?"},
		{append([]string{"run", "--users", "1,2", "--beside", "reports=" + reports}, here...), job.ExitUsage, "several numbers of users"},
		{append([]string{"run", "--beside", "reports=" + reports + ",duration=5"}, here...), job.ExitUsage, "all groups of a run share this option"},
		{append([]string{"run", "--beside", "reports=" + reports + `,"least`}, here...), job.ExitUsage, "needs double quotes around it"},
		{append([]string{"run", "--users", "2", "--rampup", "0s", "--duration", "1s", "--fail-if", "reports.p99>60s", "--beside", "reports=" + reports + `,users=1,least=0,"rate=best=20/s"`}, here...), job.OK, "  reports  "},
	} {
		if code := w.run(step.args...); code != step.want || !strings.Contains(w.out.String()+w.err.String(), step.text) {
			t.Errorf("sledge %s: got exit code %d, %q and %q, want %d and %q", strings.Join(step.args, " "), code, &w.out, &w.err, step.want, step.text)
		}
	}
	run := w.jobs(t)[0]
	if groups := run.Spec.Groups(); len(groups) != 2 || groups[0].Name != "shop" || groups[1].Files["best.sql"] == "" || run.Status != job.Succeeded {
		t.Errorf("got %d groups, %s", len(groups), run.Status)
	}
}
