package tprocc_test

import (
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// TestJobs_WithAndWithoutPerformanceSchema builds, runs and deletes both workloads on servers whose
// performance_schema differs from the default: off in MySQL, as some manuals advise, and on in
// MariaDB.
func TestJobs_WithAndWithoutPerformanceSchema(t *testing.T) {
	t.Parallel() // on servers of its own
	for _, tt := range []struct{ database, setting string }{{"mysql", "performance_schema=OFF"}, {"mariadb", "performance_schema=ON"}} {
		t.Run(tt.database, func(t *testing.T) {
			t.Parallel()
			d, err := edition.Catalog.Database(tt.database)
			if err != nil {
				t.Fatal(err)
			}
			p := &place{d: d, values: testserver.Open(t, tt.database, testserver.Setting(tt.setting)).Values()}
			for _, w := range smallWorkloads {
				p.mustSmall(t, w, job.Build)
				result, lines := p.mustSmall(t, w, job.Run)
				all := result.Summary.All()
				if len(result.Unobserved) > 0 || result.Uncounted != "" || all.Failures() > 0 {
					t.Errorf("run of %s: got %+v and %q, want the server's count and nothing unobserved: %s",
						w.name, result.Unobserved, result.Uncounted, strings.Join(lines, "\n"))
				}
				p.mustSmall(t, w, job.Delete)
			}
		})
	}
}
