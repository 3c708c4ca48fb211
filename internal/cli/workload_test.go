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
	step(job.OK, "500 products, 50 customers", on("run", "--users", "2", "--rampup", "0s", "--duration", "1s")...)
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
	step(job.ExitUsage, "client TPM of B against A", "rerun", bundle, "--db", "sqlite", "--dbname", file)
	step(job.OK, "purchases", "jobs", "show", string(run.ID))

	step(job.OK, "Made "+folder, "workload", "new", folder)
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
	change("ALTER TABLE sledge_build RENAME TO aside")
	step(job.ExitExists, "another program may have built them", on("delete", "--yes")...)
	change("ALTER TABLE aside RENAME TO sledge_build")
	step(job.OK, "Dropped the tables product, customer, sale, sledge_build", on("delete", "--yes")...)
}
