package tprocc_test

import (
	"maps"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// TestJobs_WithAndWithoutPerformanceSchema builds, runs and deletes both workloads on servers whose
// performance_schema is not what is usual: manuals tell users of MySQL to turn it off, and MariaDB has it off.
func TestJobs_WithAndWithoutPerformanceSchema(t *testing.T) {
	for _, tt := range []struct{ database, setting string }{{"mysql", "performance_schema=OFF"}, {"mariadb", "performance_schema=ON"}} {
		t.Run(tt.database, func(t *testing.T) {
			d, err := edition.Catalog.Database(tt.database)
			if err != nil {
				t.Fatal(err)
			}
			p := &place{d: d, values: testserver.Open(t, tt.database, testserver.Setting(tt.setting)).Values()}
			for _, workload := range []struct {
				name      string
				size, run option.Values
			}{
				{"tprocc", option.Values{"warehouses": "1"}, option.Values{"rampup": "0s", "duration": "2s"}},
				{"tproch", option.Values{"scale_factor": "0.01"}, option.Values{"refresh": "true"}},
			} {
				for _, action := range []job.Action{job.Build, job.Run, job.Delete} {
					spec := p.spec(action)
					spec.Workload, spec.Options = workload.name, spec.Options.Clone()
					switch action {
					case job.Build:
						maps.Copy(spec.Options, workload.size)
					case job.Run:
						spec.Users = 2
						maps.Copy(spec.Options, workload.run)
					}
					heard := newSaid(action, d)
					result, err := local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{heard}})
					if err != nil {
						t.Fatalf("%s of %s: %v: %q", action, workload.name, err, heard.lines)
					}
					if action != job.Run {
						continue
					}
					t.Logf("%s: %+v %q %+v", workload.name, result.Agreement, result.Uncounted, result.Unobserved)
					all := result.Summary.All()
					if len(result.Unobserved) > 0 || result.Uncounted != "" || all.Failures() > 0 {
						t.Errorf("run of %s: got %+v and %q, want the server's count and nothing unobserved: %s",
							workload.name, result.Unobserved, result.Uncounted, strings.Join(heard.lines, "\n"))
					}
				}
			}
		})
	}
}
