package tprocc_test

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"testing"

	"sledge/docs"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// rightsBlock finds a block of docs/rights.md that this file runs, and its name.
var rightsBlock = regexp.MustCompile("<!-- test: elsewhere, rights_test.go in internal/workload/tprocc runs it: (\\w+ \\w+) -->\n\n```\\w*\n((?s).*?)```")

// TestRights_OnThePageAreEnough runs the statements of docs/rights.md, and then builds, checks, runs and
// deletes as the account that they are for.
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
		stays                    bool // what the administrator created does
		analytic                 bool // only TPROC-H, whose build is quick: it takes the same rights
	}{
		{database: "postgresql", block: "postgresql owner", after: postgresql, options: option.Values{"no_superuser": "true"}, stays: true},
		{
			database: "postgresql", block: "postgresql guest", after: postgresql, options: option.Values{"no_superuser": "true"}, stays: true,
			before: []string{"CREATE ROLE sledge_rights LOGIN PASSWORD 'choose one'", "CREATE DATABASE sledge_rights"}, inside: true, analytic: true,
		},
		{database: "postgresql", block: "postgresql administrator", after: postgresql, options: option.Values{"superuser": "sledge_admin", "superuser_password": "choose one"}, analytic: true},
		{database: "postgresql", version: "18", block: "postgresql administrator", after: postgresql, options: option.Values{"superuser": "sledge_admin", "superuser_password": "choose one"}},
		{database: "mariadb", block: "mysql owner", after: mysql},
		{database: "mysql", block: "mysql owner", after: mysql},
	} {
		t.Run(tt.database+tt.version+" "+tt.block, func(t *testing.T) {
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
				s, err := d.Connect(t.Context(), (&place{d: d, values: values}).plan(t).Connection, database.Admin)
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
			for _, workload := range []struct {
				name string
				run  option.Values
				size option.Values
			}{
				{"tprocc", option.Values{"rampup": "0s", "duration": "1s"}, option.Values{"warehouses": "1"}},
				{"tproch", option.Values{"refresh": "true"}, option.Values{"scale_factor": "0.01"}},
			} {
				if tt.analytic && workload.name == "tprocc" {
					continue
				}
				for _, action := range []job.Action{job.Build, job.Check, job.Run, job.Delete} {
					spec := p.spec(action)
					spec.Workload, spec.Options = workload.name, spec.Options.Clone()
					switch action {
					case job.Build:
						maps.Copy(spec.Options, workload.size)
					case job.Run:
						spec.Users = 1
						maps.Copy(spec.Options, workload.run)
					}
					heard := newSaid(action, d)
					if _, err := local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{heard}}); err != nil {
						t.Fatalf("%s of %s: %v: %q", action, workload.name, err, heard.lines)
					}
					if all := strings.Join(heard.lines, "\n"); action == job.Delete && strings.Contains(all, "stays") != tt.stays {
						t.Errorf("delete of %s: got %q, want that anything stays: %v", workload.name, heard.lines, tt.stays)
					}
				}
			}
			asAdministrator("", tt.after...)
		})
	}
}

// TestRun_IsRefusedWithoutExecute runs as a user who has all rights on tables and none to call routines.
func TestRun_IsRefusedWithoutExecute(t *testing.T) {
	const create = "CREATE USER sledge_clerk IDENTIFIED BY 'choose one'"
	for _, tt := range []struct {
		database string
		inside   []string // what the administrator does in the schema's database
	}{
		{"postgresql", []string{
			"CREATE ROLE sledge_clerk LOGIN PASSWORD 'choose one'", "REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA public FROM PUBLIC",
			"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO sledge_clerk",
		}},
		{"mariadb", []string{create, "GRANT SELECT, INSERT, UPDATE, DELETE ON tpcc.* TO sledge_clerk"}},
		{"mysql", []string{create, "GRANT SELECT, INSERT, UPDATE, DELETE ON tpcc.* TO sledge_clerk", "GRANT SELECT ON *.* TO sledge_clerk"}}, // who sees routines
	} {
		t.Run(tt.database, func(t *testing.T) {
			d, err := edition.Catalog.Database(tt.database)
			if err != nil {
				t.Fatal(err)
			}
			p := &place{d: d, values: testserver.Open(t, tt.database).Values()}
			build := p.spec(job.Build)
			build.Options = build.Options.Clone()
			build.Options["warehouses"] = "1"
			if _, err := local.Do(t.Context(), build, job.Control{}); err != nil {
				t.Fatal(err)
			}
			administrator := maps.Clone(p.values)
			if tt.database == "postgresql" {
				administrator["superuser_dbname"] = "tpcc"
			}
			admin, err := d.Connect(t.Context(), (&place{d: d, values: administrator}).plan(t).Connection, database.Admin)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if tt.database == "postgresql" {
					exec(t, admin, "DROP OWNED BY sledge_clerk")
				}
				exec(t, admin, "DROP USER sledge_clerk")
				_ = admin.Close()
				if _, err := local.Do(context.Background(), p.spec(job.Delete), job.Control{}); err != nil {
					t.Error(err)
				}
			}()
			exec(t, admin, tt.inside...)
			clerk := &place{d: d, values: maps.Clone(p.values)}
			maps.Copy(clerk.values, option.Values{"user": "sledge_clerk", "password": "choose one"})
			spec := clerk.spec(job.Run)
			spec.Users, spec.Options = 1, spec.Options.Clone()
			maps.Copy(spec.Options, option.Values{"rampup": "0s", "duration": "1s"})
			_, err = local.Do(t.Context(), spec, job.Control{})
			if job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "may not call the stored routine") || !strings.Contains(err.Error(), "Grant it EXECUTE") {
				t.Errorf("got %v with exit code %d, want it refused with %d for want of EXECUTE", err, job.ExitOf(err), job.ExitUsage)
			}
		})
	}
}
