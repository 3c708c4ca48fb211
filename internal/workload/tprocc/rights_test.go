package tprocc_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"sledge/docs"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
)

// rightsBlock finds a block of docs/rights.md that this file runs, and its name.
var rightsBlock = regexp.MustCompile("<!-- test: elsewhere, rights_test.go in internal/workload/tprocc runs it: (\\w+ \\w+) -->\n\n```\\w*\n((?s).*?)```")

// TestRights_OnThePageAreEnough runs the statements of docs/rights.md, and then builds, checks,
// runs and deletes with the account that they set up.
func TestRights_OnThePageAreEnough(t *testing.T) {
	page, err := docs.Pages.ReadFile("rights.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, found := range rightsBlock.FindAllStringSubmatch(string(page), -1) {
		blocks[found[1]] = found[2]
	}
	const name = "sledge_rights"
	account := option.Values{"user": name, "password": "choose one", "dbname": name}
	postgresql := []string{"DROP DATABASE IF EXISTS sledge_rights", "DROP ROLE IF EXISTS sledge_rights", "DROP ROLE IF EXISTS sledge_admin"}
	mysql := []string{"DROP DATABASE IF EXISTS sledge_rights", "DROP USER IF EXISTS 'sledge_rights'@'%'"}
	for _, tt := range []struct {
		database, version, block string
		before, after            []string // of the administrator
		inside                   bool     // the block is run in the database
		options                  option.Values
		stays                    bool // delete keeps what the administrator created
		analytic                 bool // only TPROC-H, which needs the same rights and is built faster
	}{
		{database: "postgresql", block: "postgresql owner", after: postgresql, options: option.Values{"no_superuser": "true"}, stays: true},
		{
			database: "postgresql", block: "postgresql guest", after: postgresql, options: option.Values{"no_superuser": "true"}, stays: true,
			before: []string{"CREATE ROLE sledge_rights LOGIN PASSWORD 'choose one'", "CREATE DATABASE sledge_rights"}, inside: true, analytic: true,
		},
		{database: "postgresql", block: "postgresql administrator", after: postgresql, options: option.Values{"superuser": "sledge_admin", "superuser_password": "choose one"}, analytic: true},
		{database: "postgresql", version: "18", block: "postgresql administrator", after: postgresql, options: option.Values{"superuser": "sledge_admin", "superuser_password": "choose one"}, analytic: true},
		{database: "mariadb", block: "mysql owner", after: mysql},
		{database: "mysql", block: "mysql owner", after: mysql},
	} {
		t.Run(tt.database+tt.version+" "+tt.block, func(t *testing.T) {
			workloadtest.Related(t, tt.database)
			d, err := edition.Catalog.Database(tt.database)
			if err != nil {
				t.Fatal(err)
			}
			var wanted []testserver.Option
			if tt.version != "" {
				wanted = append(wanted, testserver.Version(tt.version))
			}
			server := testserver.Open(t, tt.database, wanted...)
			asAdministrator := func(in string, statements ...string) {
				t.Helper()
				values := option.Values(server.Values())
				if in != "" {
					values["superuser_dbname"] = in
				}
				s, err := d.Sessions.Connect(t.Context(), (&place{d: d, values: values}).plan(t).Connection, database.Admin)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				exec(t, s, statements...)
			}
			asAdministrator("", tt.after...)
			asAdministrator("", tt.before...)
			block := strings.ReplaceAll(blocks[tt.block], "tpcc", name)
			if block == "" {
				t.Fatalf("docs/rights.md has no block %q", tt.block)
			}
			in := ""
			if tt.inside {
				in = name
			}
			for statement := range strings.SplitSeq(block, ";\n") {
				if statement != "" {
					asAdministrator(in, statement)
				}
			}
			p := &place{d: d, values: server.Values()}
			delete(p.values, "superuser")
			delete(p.values, "superuser_password")
			maps.Copy(p.values, account)
			maps.Copy(p.values, tt.options)
			for _, w := range smallWorkloads {
				if tt.analytic && w.name == "tprocc" {
					continue
				}
				for _, action := range []job.Action{job.Build, job.Check, job.Run, job.Delete} {
					_, lines := p.mustSmall(t, w, action)
					if all := strings.Join(lines, "\n"); action == job.Delete && strings.Contains(all, "stays") != tt.stays {
						t.Errorf("delete of %s: got %q, want a line about what stays: %v", w.name, lines, tt.stays)
					}
				}
			}
			asAdministrator("", tt.after...)
		})
	}
}

// smallWorkload is a workload with the options of a small schema and of a short run.
type smallWorkload struct {
	name      string
	size, run option.Values
}

var smallWorkloads = []smallWorkload{
	{"tprocc", option.Values{"warehouses": "1"}, unhurriedFor("1s")},
	{"tproch", option.Values{"scale_factor": "0.01"}, option.Values{"refresh": "true"}},
}

// small returns the spec of a job on a small schema, and of a run by two users.
func (p *place) small(w smallWorkload, action job.Action) job.Spec {
	spec := p.spec(action)
	spec.Workload, spec.Options = w.name, spec.Options.Clone()
	switch action {
	case job.Build:
		maps.Copy(spec.Options, w.size)
	case job.Run:
		spec.Users = 2
		maps.Copy(spec.Options, w.run)
	}
	return spec
}

// mustSmall runs such a job and returns its result and HammerDB's lines.
func (p *place) mustSmall(t *testing.T, w smallWorkload, action job.Action) (job.Result, []string) {
	t.Helper()
	heard := newSaid(action, p.d)
	result, err := local.Do(t.Context(), p.small(w, action), job.Control{Watchers: []job.Watcher{heard}})
	if err != nil {
		t.Fatalf("%s of %s: %v: %q", action, w.name, err, heard.lines)
	}
	return result, heard.lines
}

// TestRun_IsRefusedWithoutExecute runs as a user that has all rights on tables but may not call
// routines, and again after a role or a wildcard grants EXECUTE. Another schema has a routine of
// the same name. Then the user loses the rights to write, which routines need only if they run with
// the rights of their caller.
func TestRun_IsRefusedWithoutExecute(t *testing.T) {
	const create = "CREATE USER sledge_clerk IDENTIFIED BY 'choose one'"
	for _, tt := range []struct {
		database string
		inside   []string // statements of the administrator in the schema's database
		grants   []string // statements that grant EXECUTE
		revoke   string   // revokes the rights to write tables
		callers  bool     // routines run with the rights of the user who calls them
	}{
		{
			"postgresql",
			[]string{
				"CREATE ROLE sledge_clerk LOGIN PASSWORD 'choose one'", "REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA public FROM PUBLIC",
				"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO sledge_clerk",
			},
			[]string{
				"CREATE ROLE sledge_clerks", "GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO sledge_clerks", "GRANT sledge_clerks TO sledge_clerk",
				"CREATE SCHEMA sledge_other", "CREATE FUNCTION sledge_other.slev(integer, integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
				"REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA sledge_other FROM PUBLIC",
			},
			"REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM sledge_clerk", true,
		},
		{
			"mariadb",
			[]string{create, "GRANT SELECT, INSERT, UPDATE, DELETE ON `tp%`.* TO sledge_clerk"},
			[]string{"GRANT EXECUTE ON `tp%`.* TO sledge_clerk"},
			"REVOKE INSERT, UPDATE, DELETE ON `tp%`.* FROM sledge_clerk", false,
		},
		{
			"mysql",
			[]string{create, "GRANT SELECT, INSERT, UPDATE, DELETE ON tpcc.* TO sledge_clerk", "GRANT SELECT ON *.* TO sledge_clerk"}, // lets the user see routines
			[]string{"CREATE ROLE sledge_clerks", "GRANT EXECUTE ON tpcc.* TO sledge_clerks", "GRANT sledge_clerks TO sledge_clerk", "SET DEFAULT ROLE ALL TO sledge_clerk"},
			"REVOKE INSERT, UPDATE, DELETE ON tpcc.* FROM sledge_clerk", false,
		},
	} {
		t.Run(tt.database, func(t *testing.T) {
			workloadtest.Related(t, tt.database)
			d, err := edition.Catalog.Database(tt.database)
			if err != nil {
				t.Fatal(err)
			}
			p := &place{d: d, values: testserver.Open(t, tt.database, oneWarehouse(tt.database)).Values()}
			w := smallWorkloads[0]
			administrator := maps.Clone(p.values)
			if tt.database == "postgresql" {
				administrator["superuser_dbname"] = "tpcc"
			}
			admin, err := d.Sessions.Connect(t.Context(), (&place{d: d, values: administrator}).plan(t).Connection, database.Admin)
			if err != nil {
				t.Fatal(err)
			}
			defer admin.Close()
			exec(t, admin, tt.inside...)
			clerk := &place{d: d, values: maps.Clone(p.values)}
			maps.Copy(clerk.values, option.Values{"user": "sledge_clerk", "password": "choose one"})
			_, err = local.Do(t.Context(), clerk.small(w, job.Run), job.Control{})
			if job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "may not call the stored routine") || !strings.Contains(err.Error(), "Grant it EXECUTE") {
				t.Errorf("got %v with exit code %d, want it refused with %d because EXECUTE is missing", err, job.ExitOf(err), job.ExitUsage)
			}
			exec(t, admin, tt.grants...)
			clerk.mustSmall(t, w, job.Run)
			exec(t, admin, tt.revoke)
			if !tt.callers {
				clerk.mustSmall(t, w, job.Run)
				return
			}
			_, err = local.Do(t.Context(), clerk.small(w, job.Run), job.Control{})
			if job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "Grant it the privileges to read and write all tables") {
				t.Errorf("got %v with exit code %d, want it refused with %d because privileges on tables are missing", err, job.ExitOf(err), job.ExitUsage)
			}
		})
	}
}
