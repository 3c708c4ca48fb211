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
	"testing"
)

// checked is what is looked at in each answer. What is described of a stream is its messages'
// data, not the messages: OpenAPI 3.1 does not say which. Tests of the API hold each message
// against it.
const checked = `
[checks]
enabled = false
not_a_server_error.enabled = true
status_code_conformance.enabled = true
content_type_conformance.enabled = true
response_headers_conformance.enabled = true
response_schema_conformance.enabled = true

[[operations]]
include-path-regex = "/(events|live)$|/executions/.*/output$"
checks.response_schema_conformance.enabled = false

# Each such call that is right would write 80 MB.
[[operations]]
include-operation-id = "write-files"
enabled = false
`

// TestFuzzedCallsAreAnswered has schemathesis make calls of the API's description, for all of
// which there must be an answer that the description knows, and none that is a fault of ours.
// scripts/fuzz-api sets how many calls there are of each operation, and where schemathesis is.
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
	file := settings{"db": "sqlite", "dbname": filepath.Join(s.folder, "t.sqlite")}
	ci.finish(ci.begin("build", file))
	run := ci.begin("run", settings{"db": "sqlite", "dbname": file["dbname"], "users": 1, "rampup": "0s", "duration": "2s"})
	if got := ci.finish(run); got != "succeeded" && got != "invalid" {
		t.Fatalf("the run ended as %s", got)
	}

	// Most IDs that are made up are no job's. So another half of the calls is about one.
	for what, test := range map[string]struct{ setting, exclude string }{
		"any ID":         {"", "nothing"},
		"a job's own ID": {fmt.Sprintf("[parameters]\n\"path.id\" = %q\n", run), "DELETE"},
	} {
		t.Run(what, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "schemathesis.toml")
			if err := os.WriteFile(config, []byte(test.setting+checked), 0o600); err != nil {
				t.Fatal(err)
			}
			// More than one worker at once makes Python 3.11 fail.
			c := exec.CommandContext(t.Context(), filepath.Join(folder, "bin", "schemathesis"), "--config-file", config, "run", s.address+"api/v1/openapi.json",
				"--header", "Authorization: Bearer "+ci.token, "--exclude-method", test.exclude, "--max-examples", strconv.Itoa(calls), "--phases", "examples,coverage,fuzzing", "--workers", "1",
				"--generation-database", "none", "--no-color", "--request-timeout", "60", "--suppress-health-check", "all", "--warnings", "off")
			c.Env, c.Dir = append(os.Environ(), "PYTHONPATH="+folder), s.folder
			var said bytes.Buffer
			c.Stdout, c.Stderr = &said, &said
			err := c.Run()
			made := regexp.MustCompile(`(?m)^\s*(\d[\d,]*) (generated|test cases)[^\n]*`).FindString(said.String())
			t.Logf("%s", made)
			if err != nil {
				t.Errorf("schemathesis: %v\n%s", err, &said)
			}
		})
	}
	// It still does what it is for.
	ci.wants(http.StatusOK, "GET", "/jobs?limit=1", nil, nil)
}
