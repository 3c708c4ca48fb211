//go:build clients

// Package clients holds programs that use generated clients of the web API, and the test that
// generates the clients, compiles them and runs the programs.
package clients

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// client is a generated client and the program that uses it.
type client struct {
	generator string   // of openapi-generator
	into      string   // folder of the client beside the program
	options   []string // of the generator
	compile   []string
	run       []string
}

// typeScript stands for the path of TypeScript's compiler, which is among the packages of the pages.
const typeScript = "tsc"

var clients = map[string]client{
	"python": {
		generator: "python", into: ".", options: []string{"packageName=sledge_client"},
		compile: []string{"python3", "-m", "compileall", "-q", "sledge_client"},
		run:     []string{"python3", "run.py"},
	},
	"typescript": {
		generator: "typescript-fetch", into: "client", options: []string{"importFileExtension=.js"},
		compile: []string{typeScript},
		run:     []string{"node", "run.js"},
	},
	"go": {
		generator: "go", into: "client", options: []string{"packageName=client", "withGoMod=false"},
		compile: []string{"go", "build", "-o", "run", "."},
		run:     []string{"./run"},
	},
}

// ended matches what each program prints about its run.
var ended = regexp.MustCompile(`^[0-9A-F]{24} succeeded: [2-9] seconds, [2-9] points, at most [1-9]\d* TPM\n$`)

// The clients of all three languages compile, and start a run, follow it and read its series.
func TestClients_FollowARun(t *testing.T) {
	jar := os.Getenv("SLEDGE_CLIENTS_GENERATOR")
	if jar == "" {
		t.Skip("make test-clients does this")
	}
	description, err := filepath.Abs("../../docs/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := filepath.Abs("../../ui/node_modules/.bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t)
	for language, c := range clients {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), language)
			if err := os.CopyFS(folder, os.DirFS(language)); err != nil {
				t.Fatal(err)
			}
			do := func(command ...string) string {
				t.Helper()
				p := exec.CommandContext(t.Context(), command[0], command[1:]...)
				p.Dir = folder
				p.Env = append(os.Environ(), "PYTHONPATH="+os.Getenv("SLEDGE_CLIENTS_PYTHON"), "SLEDGE_URL="+s.url, "SLEDGE_TOKEN="+s.token)
				var out, said bytes.Buffer
				p.Stdout, p.Stderr = &out, &said
				if err := p.Run(); err != nil {
					t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, &out, &said)
				}
				return out.String()
			}
			do("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar, "generate", "--generator-name", c.generator, "--input-spec", description,
				"--output", c.into, "--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
				"--additional-properties", strings.Join(c.options, ","))
			if c.compile[0] == typeScript {
				c.compile = []string{compiler}
			}
			do(c.compile...)
			// Runs on one file at the same time would count each other's orders.
			file := filepath.Join(folder, "tpcc.sqlite")
			if err := os.WriteFile(file, s.schema, 0o600); err != nil {
				t.Fatal(err)
			}
			if said := do(append(c.run, file)...); !ended.MatchString(said) {
				t.Errorf("got %q, want a successful run with its seconds and points", said)
			}
		})
	}
}

// site is a running sledge web, with the SQLite file of a schema for the runs.
type site struct {
	url, token string
	schema     []byte
}

func serve(t *testing.T) site {
	t.Helper()
	program, folder := testserver.Program(t), t.TempDir()
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + os.TempDir(), "SLEDGE_REPO=" + filepath.Join(folder, "jobs.db")}
	sledge := func(arguments ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, arguments...)
		c.Env = environment
		var out, said bytes.Buffer
		c.Stdout, c.Stderr = &out, &said
		if err := c.Run(); err != nil {
			t.Fatalf("sledge %s: %v\n%s%s", strings.Join(arguments, " "), err, &out, &said)
		}
		return strings.TrimSpace(out.String())
	}
	var s site
	file := filepath.Join(folder, "tpcc.sqlite")
	sledge("build", "--db", "sqlite", "--dbname", file, "--warehouses", "1")
	var err error
	if s.schema, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	s.token = sledge("web", "user", "add", "client", "--role", "act", "--token")
	server := exec.Command(program, "web", "--listen", "127.0.0.1:0")
	server.Env = environment
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var draining sync.WaitGroup
	t.Cleanup(func() {
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		draining.Wait()
		if err := server.Wait(); err != nil {
			t.Errorf("sledge web: %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("sledge web does not serve")
	}
	draining.Go(func() {
		for lines.Scan() { // further output must not block it
		}
	})
	s.url = lines.Text() + "api/v1"
	return s
}
