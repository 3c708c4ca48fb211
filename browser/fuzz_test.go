//go:build browser

package browser

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asked configures the checks of each answer and the excluded operations. Random calls of
// operations that start programs, sequences of runs or files of 80 MB would start hundreds of them,
// and streams last as long as their jobs. The API's own tests cover these.
const asked = `
[checks]
enabled = false
not_a_server_error.enabled = true
status_code_conformance.enabled = true
content_type_conformance.enabled = true
response_headers_conformance.enabled = true
response_schema_conformance.enabled = true

[[operations]]
include-operation-id = ["open-console", "run-script", "start-sequence", "write-files", "watch-execution", "watch-job", "view-job", "watch-files-task"]
enabled = false
`

// TestFuzzedCallsAreAnswered makes random calls with schemathesis, from the API's description.
// Every answer must conform to the description and must not be an internal error. scripts/fuzz-api
// sets the number of calls per operation and the path of schemathesis.
func TestFuzzedCallsAreAnswered(t *testing.T) {
	folder := os.Getenv("SLEDGE_FUZZ_API")
	if folder == "" {
		t.Skip("make fuzz-api does this")
	}
	calls, err := strconv.Atoi(os.Getenv("SLEDGE_FUZZ_CALLS"))
	if err != nil {
		t.Fatalf("SLEDGE_FUZZ_CALLS: %v", err)
	}
	s := newSite(t)
	ci := s.as("ci", "act")
	s.start()
	t.Cleanup(func() { // the calls with the description's examples build this schema in the server's working directory
		for _, part := range []string{"", "-wal", "-shm"} {
			_ = os.Remove("tpcc.sqlite" + part) // it may not exist
		}
	})
	file := settings{"db": "sqlite", "dbname": filepath.Join(s.folder, "t.sqlite")}
	ci.finish(ci.begin("build", file))
	run := ci.begin("run", settings{"db": "sqlite", "dbname": file["dbname"], "users": 1, "rampup": "0s", "duration": "2s"})
	if got := ci.finish(run); got != "succeeded" && got != "invalid" {
		t.Fatalf("the run ended as %s", got)
	}

	// Most random IDs do not belong to a job, so the first half of the calls uses the ID of one.
	for _, test := range []struct{ name, setting, exclude string }{
		{"a job's own ID", fmt.Sprintf("[parameters]\n\"path.id\" = %q\n", run), "DELETE"},
		{"any ID", "", "nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "schemathesis.toml")
			if err := os.WriteFile(config, []byte(test.setting+asked), 0o600); err != nil {
				t.Fatal(err)
			}
			// More than one worker at once makes Python 3.11 fail.
			c := exec.CommandContext(t.Context(), filepath.Join(folder, "bin", "schemathesis"), "--config-file", config, "run", s.address+"api/v1/openapi.json",
				"--header", "Authorization: Bearer "+ci.token, "--exclude-method", test.exclude, "--max-examples", strconv.Itoa(calls), "--phases", "examples,coverage,fuzzing", "--workers", "1",
				"--generation-database", "none", "--no-color", "--request-timeout", "60", "--suppress-health-check", "all", "--warnings", "off")
			c.Env, c.Dir = append(os.Environ(), "PYTHONPATH="+folder), s.folder
			endWithUs(c)
			var said bytes.Buffer
			c.Stdout, c.Stderr = &said, &said
			begun := time.Now()
			err := c.Run()
			made := regexp.MustCompile(`(?m)^\s*(\d[\d,]*) (generated|test cases)[^\n]*`).FindString(said.String())
			t.Logf("%s in %v", strings.TrimSpace(made), time.Since(begun).Round(time.Second))
			if err != nil {
				t.Errorf("schemathesis: %v\n%s", err, &said)
			}
		})
		if test.exclude == "DELETE" {
			ci.wants(http.StatusOK, "GET", "/jobs/"+run, nil, nil) // the calls were about a job
		}
	}
	// The server must still work.
	ci.wants(http.StatusOK, "GET", "/jobs?limit=1", nil, nil)
}
