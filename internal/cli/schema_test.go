package cli

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"sledge/internal/bundle"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/manual"
	"sledge/internal/report"
)

// validate fails the test unless text is one document that matches the schema named want and has
// only declared members.
func validate(t *testing.T, command, text, want string) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Errorf("sledge %s: got %q, want one JSON document: %v", command, text, err)
		return
	}
	members, _ := document.(map[string]any)
	name, _ := members["schema"].(string)
	if name != want {
		t.Errorf("sledge %s: got a document with the schema %q, want %q: %s", command, name, want, text)
		return
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := jsonschema.UnmarshalJSON(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	knowsAll(source)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, source); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("sledge %s: %v in %s", command, err, text)
	}
}

// knowsAll makes a schema refuse undeclared members. Published schemas accept them, because new
// members do not change a format.
func knowsAll(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if _, ok := s["properties"].(map[string]any); ok {
			s["additionalProperties"] = false
		}
		for _, inner := range s {
			knowsAll(inner)
		}
	case []any:
		for _, inner := range s {
			knowsAll(inner)
		}
	}
}

// bundled bundles a run and returns the file.
func bundled(t *testing.T, w *world) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.zip")
	for _, args := range []string{"run --db sqlite", "bundle last --output " + path} {
		if code := w.run(strings.Fields(args)...); code != job.OK {
			t.Fatalf("%s: exit code %d: %s", args, code, &w.err)
		}
	}
	validate(t, "bundle", string(members(t, path)["bundle.json"]), "sledge-bundle-1")
	return path
}

func TestJSON_MatchesItsSchema(t *testing.T) {
	w := withJobs(t)
	first, second := withPlans(t, w)
	w.scaling(2)
	hammer := hammerDBJobs(t)
	if code := w.run("connections", "add", "lab", "--db", "pg", "--host", "db1", "--user", "ann"); code != job.OK {
		t.Fatalf("save a connection: exit code %d: %s", code, &w.err)
	}
	commands := []struct{ args, schema string }{
		{"build --db sqlite --json", "sledge-job-3"},
		{"check --db sqlite --json", "sledge-job-3"},
		{"run --db sqlite --json", "sledge-job-3"},
		{"jobs compare RUN last --json", "sledge-comparison-1"},
		{"compare RUN last --json", "sledge-setup-comparison-1"},
		{"history last --json", "sledge-history-1"},
		{"verify " + bundled(t, w) + " --json", "sledge-verification-1"},
		{"rerun " + bundled(t, w) + " --db sqlite --json", "sledge-setup-comparison-1"},
		{"experiment run " + writePlan(t, "schema.toml", scalingPlan) + " --json", "sledge-experiment-1"},
		{"capacity --db sqlite --users 2 --p99 1s --json", "sledge-capacity-1"},
		{"experiment show schema --json", "sledge-experiment-1"},
		{"experiment list --json", "sledge-experiments-1"},
		{"experiment import " + hammerpostFile(t) + " --json", "sledge-import-1"},
		{"experiment confirm " + writePlan(t, "schema.toml", scalingPlan) + " --pairs 1 --json", "sledge-setup-comparison-1"},
		{"jobs diff RUN last --json", "sledge-comparison-1"},
		{"jobs plan " + first + " --json", "sledge-plans-1"},
		{"jobs plan " + first + " " + second + " --json", "sledge-plans-1"},
		{"jobs compare " + first + " " + second + " --json", "sledge-comparison-1"},
		{"jobs export " + first, "sledge-export-3"},
		{"run --db sqlite --users 1,2 --json", "sledge-profile-1"},
		{"run --db sqlite --users 1,9 --json", "sledge-profile-1"}, // the second run fails
		{"run --db sqlite --users 9 --json", "sledge-job-3"},       // this run fails
		{"run --db sqlite --dry-run --json", "sledge-settings-2"},
		{"delete --db sqlite --json", "sledge-job-3"},
		{"selftest --db pg --host 127.0.0.1 --port 1 --yes --json --report " + filepath.Join(t.TempDir(), "report.md"), "sledge-selftest-1"},
		{"jobs --json", "sledge-jobs-1"},
		{"jobs list --json", "sledge-jobs-1"},
		{"jobs list --action check --status failed --json", "sledge-jobs-1"}, // an empty list
		{"jobs show last --json", "sledge-job-3"},
		{"jobs result last --json", "sledge-job-3"},
		{"jobs timing last --json", "sledge-timing-1"},
		{"jobs tpm last --json", "sledge-tpm-1"},
		{"jobs samples last --json", "sledge-samples-1"},
		{"jobs profile --json", "sledge-profiles-1"},
		{"jobs profile 1 --json", "sledge-profile-1"},
		{"jobs profile 1 2 --json", "sledge-profile-comparison-1"},
		{"jobs best --json", "sledge-best-1"},
		{"jobs label RUN ticket=4711 --json", "sledge-job-3"},
		{"jobs note RUN after --json", "sledge-job-3"},
		{"jobs export last", "sledge-export-3"},
		{"jobs export RUN --json", "sledge-export-3"},
		{"jobs show RUN --json", "sledge-job-3"},
		{"jobs timing RUN --json", "sledge-timing-1"},
		{"jobs timing RUN --seconds --json", "sledge-timing-1"},
		{"jobs tpm RUN --json", "sledge-tpm-1"},
		{"jobs import --json " + hammer, "sledge-import-1"},
		{"jobs show 67FD --json", "sledge-job-3"},
		{"jobs timing 67FD --json", "sledge-timing-1"},
		{"jobs tpm 67FD --json", "sledge-tpm-1"},
		{"jobs export 67FD", "sledge-export-3"},
		{"jobs delete 67FD --json", "sledge-deleted-1"},
		{"options --json", "sledge-catalog-1"},
		{"options pg --json", "sledge-options-2"},
		{"options pg tpcc pg_port --json", "sledge-options-2"},
		{"version --json", "sledge-version-1"},
		{"doctor --db sqlite --only sqlite,load --json", "sledge-doctor-1"},
		{"defaults --json", "sledge-defaults-1"},
		{"connections test --db sqlite --json", "sledge-trial-1"},
		{"connections list --json", "sledge-connections-1"},
		{"connections show lab --json", "sledge-connections-1"},
		{"jobs report RUN --json", "sledge-error-1"},
		{"jobs show 0000 --json", "sledge-error-1"},
		{"watch --db sqlite --json", "sledge-error-1"},
		{"ceiling --db sqlite --json", "sledge-error-1"}, // SQLite has no stand-in
	}
	measured := ""
	for _, j := range w.jobs(t) {
		if j.Spec.Action == job.Run && j.Spec.Workload == "tprocc" {
			measured = string(j.ID) // this run has seconds
		}
	}
	var schemas, covered []string
	for _, c := range commands {
		args := strings.ReplaceAll(c.args, "RUN", measured)
		w.run(strings.Fields(args)...)
		validate(t, args, w.out.String(), c.schema)
		schemas, covered = append(schemas, c.schema), append(covered, c.args)
	}
	for _, d := range manual.Documents() {
		// Tests with servers validate the output of watch, tests of the web API its own document, those of
		// notices theirs, TestExperiment_TriesWhatIsAskedFor lines, and bundled a member of a file.
		elsewhere := []string{document.WatchSchema, document.PointsSchema, document.ActivitySchema, document.NoticeSchema, report.TrialSchema, bundle.Schema}
		if !slices.Contains(schemas, d.Schema) && !slices.Contains(elsewhere, d.Schema) {
			t.Errorf("the test has no command that prints %s", d.Schema)
		}
		text, err := json.Marshal(d.Example)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, "(the example)", string(text), d.Schema)
	}
	var visit func(c *cobra.Command, path string)
	visit = func(c *cobra.Command, path string) {
		hasJSON := c.Flags().Lookup("json") != nil || c.InheritedFlags().Lookup("json") != nil
		if path != "" && hasJSON && !slices.ContainsFunc(covered, func(args string) bool { return strings.HasPrefix(args+" ", path[1:]+" ") }) {
			t.Errorf("sledge%s takes --json, but the test does not run it", path)
		}
		for _, sub := range c.Commands() {
			visit(sub, path+" "+sub.Name())
		}
	}
	visit(Commands(w.Program), "")
}

func TestJSON_ErrorsAreDocuments(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{}, errors.New("no such thing")
	})
	for args, want := range map[string]struct {
		exit   job.Exit
		class  string
		option string
	}{
		"run --db pg --port many --json":              {job.ExitUsage, "usage", "port"},
		"run --json":                                  {job.ExitUsage, "usage", ""},
		"run --db nosuch --json":                      {job.ExitUsage, "usage", ""},
		"run --json --nosuch":                         {job.ExitUsage, "usage", ""},
		"nosuch --json":                               {job.ExitUsage, "usage", ""},
		"jobs show 0000 --json":                       {job.ExitMissing, "missing", ""},
		"jobs profile 7 --json":                       {job.ExitMissing, "missing", ""},
		"options pg tpcc nosuch --json":               {job.ExitUsage, "usage", ""},
		"check --db sqlite --json --repo /dev/null/x": {job.ExitError, "error", ""},
	} {
		code := w.run(strings.Fields(args)...)
		validate(t, args, w.out.String(), "sledge-error-1")
		var e struct {
			Exit    job.Exit `json:"exit_code"`
			Class   string
			Message string
			Option  string
		}
		if err := json.Unmarshal(w.out.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if code == job.OK || e.Exit != code || want.exit != job.ExitError && code != want.exit || want.exit != job.ExitError && e.Class != want.class || want.option != "" && e.Option != want.option {
			t.Errorf("sledge %s: got exit code %d and %+v, want %+v", args, code, e, want)
		}
		if last := lastLine(w.err.String()); last != "sledge: "+e.Message {
			t.Errorf("sledge %s: got %q for people and %q for programs", args, last, e.Message)
		}
	}
	if w.run("jobs", "show", "0000"); w.out.Len() > 0 {
		t.Errorf("without --json: got %q on the standard output", &w.out)
	}
}

// hammerDBJobs creates a repository of HammerDB with one job.
func hammerDBJobs(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "hammer.DB")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME);
		CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT);
		CREATE TABLE JOBTIMING (jobid TEXT, vu INTEGER, procname TEXT, calls INTEGER, summary INTEGER);
		CREATE TABLE JOBTCOUNT (jobid TEXT, counter INTEGER, metric TEXT, timestamp DATETIME);
		INSERT INTO JOBMAIN VALUES ('67FD3345479A03E263133333', 'MariaDB', 'TPC-C', '', '2025-04-14 17:09:41');
		INSERT INTO JOBOUTPUT VALUES ('67FD3345479A03E263133333', 1, 'TEST RESULT : System achieved 128176 NOPM from 298394 MariaDB TPM');
		INSERT INTO JOBTIMING VALUES ('67FD3345479A03E263133333', 1, 'NEWORD', 17, 1);
		INSERT INTO JOBTCOUNT VALUES ('67FD3345479A03E263133333', 4321, 'tpm', '2025-04-14 17:09:51')`); err != nil {
		t.Fatal(err)
	}
	return path
}
