package datagen_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/datagen"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
	"sledge/internal/workload/tproch"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// TestFiles_AreLoadedByTheDatabasesPrograms runs the scripts as their comments describe, and
// compares all loaded rows with the generated ones.
func TestFiles_AreLoadedByTheDatabasesPrograms(t *testing.T) {
	for _, d := range databases(special) {
		t.Run(d.Name, func(t *testing.T) {
			for name, c := range map[string]datagen.Config{
				"plain":                       {Workers: 3},
				"by zstd":                     {Workers: 2, Compression: datagen.Zstd},
				"as dbgen names them":         {Workers: 2, Format: datagen.Dbgen},
				"as dbgen names them by gzip": {Workers: 2, Format: datagen.Dbgen, Compression: datagen.Gzip},
				"csv":                         {Workers: 2, Format: datagen.CSV},
				"csv with a header by gzip":   {Workers: 2, Format: datagen.CSV, Header: true, Compression: datagen.Gzip},
			} {
				t.Run(name, func(t *testing.T) {
					if _, err := exec.LookPath("zstd"); err != nil && c.Compression == datagen.Zstd {
						t.Skip("zstd is not installed")
					}
					if d.Name == "sqlserver" && (c.Format != datagen.CSV || c.Compression != "") {
						t.Skip("its loaders support quotes only in CSV files, and no compression")
					}
					plan := newPlan(t, d, special, nil)
					load(t, plan, c)
					workloadtest.CompareRows(t, plan)
				})
			}
		})
	}
}

// TestLoadedFiles_OfTproccPassTheCheck loads one warehouse from files and runs the check.
func TestLoadedFiles_OfTproccPassTheCheck(t *testing.T) {
	for _, d := range databases(tprocc.Workload) {
		t.Run(d.Name, func(t *testing.T) {
			compression := datagen.Uncompressed
			if d.Name == "postgresql" {
				compression = datagen.Gzip
			}
			loadAndCheck(t, d, tprocc.Workload, server(t, d), datagen.Config{Compression: compression})
		})
	}
}

// TestLoadedFiles_OfTprochPassTheCheck loads TPROC-H in the format that the database reads best.
func TestLoadedFiles_OfTprochPassTheCheck(t *testing.T) {
	for _, d := range databases(tproch.Workload) {
		c := datagen.Config{Workers: 2, Format: map[string]datagen.Format{
			"postgresql": datagen.Dbgen, "mariadb": datagen.CSV, "mysql": datagen.Dbgen, "sqlite": datagen.Tbl, "duckdb": datagen.Parquet,
		}[d.Name]}
		t.Run(d.Name, func(t *testing.T) {
			values := server(t, d)
			values["scale_factor"] = "0.01"
			loadAndCheck(t, d, tproch.Workload, values, c)
		})
	}
}

// loadAndCheck loads the files of a schema and runs the check.
func loadAndCheck(t *testing.T, d *database.Database, w *workload.Workload, values option.Values, c datagen.Config) {
	t.Helper()
	plan := newPlan(t, d, w, values)
	load(t, plan, c)
	if c.Format == datagen.Parquet { // the test with the workload special does not cover it
		workloadtest.CompareRows(t, plan)
	}
	runner := engine.Local{Catalog: edition.Catalog, Version: "test"}
	result, err := runner.Do(t.Context(), job.Spec{Action: job.Check, Database: d.Name, Workload: w.Name, Seed: 1, Options: values}, job.Control{})
	for _, f := range result.Findings {
		if !f.Holds {
			t.Errorf("%s does not hold: %s %v %v", f.Rule, f.Title, f.Columns, f.Rows)
		}
	}
	if err != nil {
		t.Errorf("check: %v", err)
	}
	if len(result.Findings) == 0 {
		t.Error("check: got no findings")
	}
}

// databases lists the databases that support a workload and have scripts that load files.
func databases(w *workload.Workload) (list []*database.Database) {
	for _, d := range edition.Catalog.Databases {
		loads := false
		for base := d; base != nil; base = base.Base {
			_, err := fs.Stat(base.SQL, "sql/datafiles.sql")
			loads = loads || err == nil
		}
		if loads && (d.Refuses == nil || d.Refuses(w.Use) == "") {
			list = append(list, d)
		}
	}
	return list
}

// server returns the option values for a new database on a server.
func server(t *testing.T, d *database.Database) option.Values {
	t.Helper()
	values := workloadtest.Server(t, d, "")
	if !d.Embedded() {
		served++
		values["dbname"] = fmt.Sprintf("datagen%d", served)
	}
	return values
}

// served counts the new databases, because all tests share a server.
var served int

// newPlan creates an empty database for the workload and returns a plan for it.
func newPlan(t *testing.T, d *database.Database, w *workload.Workload, values option.Values) plan.Plan {
	t.Helper()
	if values == nil {
		values = server(t, d)
	}
	plan, err := plan.New(catalog.Pair{Database: d, Workload: w}, job.Spec{Database: d.Name, Workload: w.Name, Seed: 1, Options: values})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Container.Create(t.Context(), plan.Connection, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	return plan
}

// load generates the files and loads them with the database's own program.
func load(t *testing.T, plan plan.Plan, c datagen.Config) {
	t.Helper()
	c.Plan, c.Folder = plan, t.TempDir()
	result, err := datagen.Generate(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{result.Scripts.Create, result.Scripts.Load, result.Scripts.Finish} {
		if _, err := exec.LookPath("duckdb"); err != nil && plan.Database.Name == "duckdb" {
			runInside(t, plan, c.Folder, script)
			continue
		}
		client := clientOf(t, plan, c.Folder)
		client.Dir = c.Folder
		input, err := os.Open(filepath.Join(c.Folder, script))
		if err != nil {
			t.Fatal(err)
		}
		defer input.Close()
		client.Stdin = input
		out, err := client.CombinedOutput()
		if text := string(out); err != nil || strings.Contains(text, "Warning") || strings.Contains(strings.ToLower(text), "error") {
			t.Fatalf("%s: %v: %s\n%s", script, err, client, out)
		}
	}
}

// runInside runs a script with the DuckDB library, for machines without DuckDB's shell.
func runInside(t *testing.T, plan plan.Plan, folder, script string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, script))
	if err != nil {
		t.Fatal(err)
	}
	s, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Chdir(folder)
	if err := s.Exec(t.Context(), string(text)); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// clientOf returns the database's own program, connected to the plan's database, for scripts in
// the folder.
func clientOf(t *testing.T, plan plan.Plan, folder string) *exec.Cmd {
	t.Helper()
	values := map[string]string{}
	for _, o := range option.Describe(plan.Connection) {
		values[o.Name] = o.Default
	}
	var c *exec.Cmd
	switch plan.Database.Name {
	case "postgresql":
		c = exec.Command("psql", "--no-psqlrc", "-h", values["host"], "-p", values["port"], "-U", values["user"], "-d", values["dbname"])
		c.Env = append(os.Environ(), "PGPASSWORD="+values["password"])
	case "mysql", "mariadb":
		c = exec.Command(mysqlClient(), "--no-defaults", "--protocol=tcp", "-h", values["host"], "-P", values["port"], "-u", values["user"],
			"--local-infile=1", "--show-warnings", values["dbname"])
		c.Env = append(os.Environ(), "MYSQL_PWD="+values["password"])
	case "sqlite":
		c = exec.Command("sqlite3", values["file"])
	case "duckdb":
		c = exec.Command("duckdb", "-bail", values["file"])
	case "sqlserver": // the server must have access to the folder
		c = exec.Command("sqlcmd", "-b", "-I", "-C", "-S", values["host"]+","+values["port"], "-U", values["user"], "-d", values["dbname"], "-v", "FOLDER="+folder)
		c.Env = append(os.Environ(), "SQLCMDPASSWORD="+values["password"])
	}
	if c.Err != nil {
		t.Skipf("the client of %s is not installed: %v", plan.Database.Title, c.Err)
	}
	return c
}

// mysqlClient returns the name of MySQL's client if it is installed, otherwise of MariaDB's, which
// can connect to both.
func mysqlClient() string {
	if _, err := exec.LookPath("mysql"); err != nil {
		return "mariadb"
	}
	return "mysql"
}
