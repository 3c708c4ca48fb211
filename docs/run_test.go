//go:build unix

package docs_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// TestManual_ShowsWhatTheProgramDoes runs the commands of every page, in a folder and a repository of the
// page's own, and compares what they print with what the page says that they print.
func TestManual_ShowsWhatTheProgramDoes(t *testing.T) {
	programs := t.TempDir()
	for _, name := range []string{"sledge", "hammerdbcli", "hammerdbws"} {
		if err := os.Symlink(testserver.Program(t), filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range pages(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel() // commands spend their time waiting
			s := shell{t: t, folder: t.TempDir(), programs: programs}
			blocks := blocksOf(t, page)
			for _, name := range namesIn(blocks) {
				servers[name].Lock()
				defer servers[name].Unlock()
			}
			for _, b := range blocks {
				if name, is := strings.CutPrefix(b.mark, "file "); is {
					path := filepath.Join(s.folder, name)
					if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(s.text(b.text)), 0o600)); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, b := range blocks {
				verb, of, _ := strings.Cut(b.mark, " ")
				switch verb {
				case "run":
					s.prepare(b, of)
					if strings.HasPrefix(b.text, "$ ") {
						s.session(b)
					} else {
						s.printed = s.run(b, s.script(b.text, ""))
						s.noteBuilt(of, b.text)
					}
				case "dry":
					s.printed = s.run(b, s.script(b.text, " --dry-run"))
				case "console":
					s.prepare(b, of)
					s.printed = s.console(b)
				case "serve":
					for line := range strings.Lines(b.text) {
						s.serve(b, s.line(line, ""))
					}
				case "output":
					if missing := missingLine(s.printed, b.text, withoutFigures); missing != "" {
						t.Errorf("%s: the commands above do not print this line, or not after the lines above it:\n%s\nThey print\n%s", b, missing, s.printed)
					}
				}
			}
		})
	}
}

// shell runs the commands of a page.
type shell struct {
	t        *testing.T
	folder   string
	programs string // folder of the program and its other names
	printed  string // by the last block of commands

	named []string // IDs of jobs in the page's text
}

// server is one that a page has for itself, from its first block to its last.
type server struct {
	sync.Mutex
	built map[string]bool // workloads whose schema is there
}

// servers are those of the databases that commands may name; inFull are their names in --db.
var (
	servers = map[string]*server{"mariadb": {}, "mysql": {}, "postgresql": {}, "redis": {}}
	inFull  = map[string]string{"pg": "postgresql", "maria": "mariadb"}
)

// note notes that the schema of a workload is there, or no longer.
func (s *server) note(workload string, there bool) {
	if s.built == nil {
		s.built = map[string]bool{}
	}
	s.built[workload] = there
}

// namesIn returns the servers that blocks use, in the order of their names, which keeps two pages
// from waiting for each other.
func namesIn(blocks []block) []string {
	used := map[string]bool{}
	for _, b := range blocks {
		verb, of, _ := strings.Cut(b.mark, " ")
		if verb != "run" && verb != "console" && verb != "serve" {
			continue
		}
		words := strings.Split(of, ", ")
		for _, found := range database.FindAllStringSubmatch(b.text, -1) {
			words = append(words, cmp.Or(inFull[found[1]], found[1]))
		}
		for _, word := range words {
			used[word] = servers[word] != nil
		}
		if strings.Contains(b.text, consoleServer) {
			used["postgresql"] = true
		}
	}
	maps.DeleteFunc(used, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(used))
}

// prepare gives a block the schema that its mark asks for, "postgresql, tprocc", and none of those that it builds.
func (s *shell) prepare(b block, mark string) {
	s.t.Helper()
	words := strings.Split(mark, ", ")
	builds := strings.Contains(b.text, "sledge build") || strings.Contains(b.text, "buildschema")
	do := func(command string, args ...any) {
		s.t.Helper()
		command = fmt.Sprintf(command, args...)
		if out, err := s.bash(s.line(command, "")); err != nil {
			s.t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	for _, database := range words {
		at := servers[database]
		if at == nil {
			continue
		}
		for workload, size := range map[string]string{"tprocc": "--warehouses 1", "tproch": "--scale 0.01"} {
			wanted := slices.Contains(words, workload)
			switch {
			case wanted && !at.built[workload]:
				do("sledge build --workload %s --db %s %s", workload, database, size)
				at.note(workload, true)
			case builds && !wanted && at.built[workload]:
				do("sledge delete --workload %s --db %s", workload, database)
				at.note(workload, false)
			}
		}
	}
	for _, word := range words {
		switch what, number, _ := strings.Cut(word, " "); what {
		case "jobs":
			n, _ := strconv.Atoi(number)
			for range n {
				do("sledge run --workload %s --db %s", words[1], words[0])
			}
		case "profile":
			do("sledge run --workload %s --db %s --users 1,2 --profile %s", words[1], words[0], number)
		}
	}
}

// noteBuilt keeps in mind the schemas that a block has built or deleted.
func (s *shell) noteBuilt(mark, commands string) {
	name, _, _ := strings.Cut(mark, ", ")
	at := servers[name]
	if at == nil {
		return
	}
	for line := range strings.Lines(commands) {
		workload := "tprocc"
		if strings.Contains(line, "--workload tproch") {
			workload = "tproch"
		}
		switch {
		case strings.HasPrefix(line, "sledge build"):
			at.note(workload, true)
		case strings.HasPrefix(line, "sledge delete"):
			at.note(workload, false)
		}
	}
}

// session runs commands that begin with "$ ", and compares what each prints with the lines below it. Some
// show mistakes, so that their exit codes differ.
func (s *shell) session(b block) {
	s.t.Helper()
	for part := range strings.SplitSeq(strings.TrimPrefix(b.text, "$ "), "\n$ ") {
		command, output, _ := strings.Cut(part, "\n")
		printed, _ := s.bash(command)
		if missing := missingLine(printed, output, withoutFigures); missing != "" {
			s.t.Errorf("%s: %s does not print this line, or not after the lines above it:\n%s\nIt prints\n%s", b, command, missing, printed)
		}
	}
}

// run runs a script, which must succeed, and returns what it printed.
func (s *shell) run(b block, script string) string {
	s.t.Helper()
	out, err := s.bash(script)
	if err != nil {
		s.t.Errorf("%s: %v: the commands\n%s\nprinted\n%s", b, err, script, out)
	}
	return out
}

// bash runs a script that ends with its first failure.
func (s *shell) bash(script string) (string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-e", "-o", "pipefail", "-c", jobFunction+script)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Dir, c.Env = s.folder, s.environment()
	out, err := c.CombinedOutput()
	return string(out), err
}

func (s *shell) environment() []string {
	return append(os.Environ(), "PATH="+s.programs+":"+os.Getenv("PATH"), "HOME="+s.folder, "XDG_CONFIG_HOME="+s.folder, "TMPDIR="+s.folder,
		"SLEDGE_RAMPUP=0s", "SLEDGE_DURATION=1s",
		"SLEDGE_REPO="+filepath.Join(s.folder, "jobs.db"), "SLEDGE_SETTINGS="+filepath.Join(s.folder, "settings.db"))
}

// serve starts a command that serves until it is interrupted.
func (s *shell) serve(b block, command string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", "exec "+command)
	c.Dir, c.Env = s.folder, s.environment()
	out := &firstLine{came: make(chan struct{})}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		s.t.Fatalf("%s: %v", b, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case <-out.came:
		_ = c.Process.Signal(syscall.SIGINT)
	case err := <-ended:
		ended <- err
	}
	if err := <-ended; err != nil && c.ProcessState.ExitCode() != 130 {
		s.t.Errorf("%s: %s: %v\n%s", b, command, err, out.String())
	}
}

// firstLine keeps what a program prints, and closes came at the end of the first line.
type firstLine struct {
	mu   sync.Mutex
	text bytes.Buffer
	came chan struct{}
	once sync.Once
}

func (f *firstLine) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text.Write(p)
	if bytes.IndexByte(p, '\n') >= 0 {
		f.once.Do(func() { close(f.came) })
	}
	return len(p), nil
}

func (f *firstLine) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text.String()
}

// consoleServer is how commands of the console name a server.
const consoleServer = "pg_host db1"

// console runs the commands of a block in the console.
func (s *shell) console(b block) string {
	s.t.Helper()
	for _, name := range []string{"tpcc", "tpch"} { // for files that the commands write
		if err := os.MkdirAll(filepath.Join(s.folder, name), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	text := s.text(b.text)
	if strings.Contains(text, consoleServer) {
		values := testserver.Open(s.t, "postgresql").Values()
		text = strings.Replace(text, consoleServer, fmt.Sprintf("pg_host %s\ndiset connection pg_port %s", values["host"], values["port"]), 1)
	}
	if err := os.WriteFile(filepath.Join(s.folder, "script.tcl"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	printed := s.run(b, "sledge console auto script.tcl")
	if strings.Contains(text, "TPC-H") && strings.Contains(text, "buildschema") {
		servers["postgresql"].note("tproch", true)
	}
	return printed
}

// script makes a shell script of the commands of a block.
func (s *shell) script(commands, also string) string {
	var script strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(commands, "\\\n", " ")) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "   #")
		line = strings.TrimPrefix(line, "$ ")
		script.WriteString(s.line(line, also) + "\n")
	}
	return script.String()
}

var (
	database    = regexp.MustCompile(`--db[ =](\w+)`)
	host        = regexp.MustCompile(` --host[ =]\S+`)
	port        = regexp.MustCompile(` --port[ =]\S+`)
	redirection = regexp.MustCompile(` [|>] `)
	asking      = regexp.MustCompile(` --ask-[\w-]+`)
)

// line changes a command so that it works on a test server and soon ends.
func (s *shell) line(command, also string) string {
	s.t.Helper()
	command = s.text(strings.TrimSpace(command))
	if !strings.HasPrefix(command, "sledge ") {
		return command
	}
	rest := ""
	if at := redirection.FindStringIndex(command); at != nil {
		command, rest = command[:at[0]], command[at[0]:]
	}
	if strings.HasPrefix(command, "sledge watch") && !strings.Contains(command, "--for") {
		command += " --for 2s --interval 1"
	}
	if strings.HasPrefix(command, "sledge top --db") && !strings.Contains(command, "--for") {
		command += " --for 2s"
	}
	environment := ""
	if found := database.FindStringSubmatch(command); found != nil && also == "" {
		name := cmp.Or(inFull[found[1]], found[1])
		if servers[name] != nil {
			values := testserver.Open(s.t, name).Values()
			command = asking.ReplaceAllString(port.ReplaceAllString(command, ""), "")
			command = host.ReplaceAllString(command, fmt.Sprintf(" --host %s --port %s", values["host"], values["port"]))
			for option, value := range values {
				environment += fmt.Sprintf("SLEDGE_%s='%s' ", strings.ToUpper(option), value)
			}
		}
	}
	return environment + command + also + " " + rest
}

// shorter are the changes by which the commands of the manual take seconds.
var shorter = []struct {
	what *regexp.Regexp
	by   func(value string) string
}{
	{regexp.MustCompile(`--rampup \S+`), always("--rampup 0s")},
	{regexp.MustCompile(`--duration \S+`), always("--duration 1s")},
	{regexp.MustCompile(`--for \S+`), always("--for 2s")},
	{regexp.MustCompile(`--interval \S+`), always("--interval 1")},
	{regexp.MustCompile(`--warehouses \S+`), always("--warehouses 1")},
	{regexp.MustCompile(`--builders \S+`), always("--builders 1")},
	{regexp.MustCompile(`--workers \S+`), always("--workers 1")},
	{regexp.MustCompile(`--scale \S+`), always("--scale 0.01")},
	{regexp.MustCompile(`--steps \S+ --duration \S+`), always("--steps 1,2 --duration 2s")},
	{regexp.MustCompile(`key_and_think=true`), always("key_and_think=true --set keying_time=0.02,0.02,0.02,0.02,0.02 --set think_time=0.01,0.01,0.01,0.01,0.01")},
	{regexp.MustCompile(`--users \d+,\S+`), always("--users 1,2")},
	{regexp.MustCompile(`--users \d+\b`), few},
	{regexp.MustCompile(`--connections \d+`), always("--connections 4")},
	{regexp.MustCompile(`async_clients=\d+`), always("async_clients=4")},
	{regexp.MustCompile(`--rate 500/s`), always("--rate 50/s")},
	{regexp.MustCompile(`--listen \S*:\d+`), always("--listen 127.0.0.1:0")},
	{regexp.MustCompile(`^sledge web$`), always("sledge web --listen 127.0.0.1:0")},
	{regexp.MustCompile(`pg_scale_fact \d+`), always("pg_scale_fact 0.01")},
	{regexp.MustCompile(`pg_num_tpch_threads \d+`), always("pg_num_tpch_threads 1")},
	{regexp.MustCompile(`dgset warehouse \d+`), always("dgset warehouse 1")},
	{regexp.MustCompile(`dgset vu \d+`), always("dgset vu 1")},
}

func always(by string) func(string) string { return func(string) string { return by } }

// few keeps numbers of users small.
func few(users string) string {
	n, _ := strconv.Atoi(strings.TrimPrefix(users, "--users "))
	return fmt.Sprintf("--users %d", min(n, 8))
}

// text makes what a page writes fit the test: sizes, times, folders.
func (s *shell) text(text string) string {
	for _, change := range shorter {
		text = change.what.ReplaceAllStringFunc(text, change.by)
	}
	text = someJob.ReplaceAllStringFunc(text, s.job)
	return strings.ReplaceAll(text, "/data/", s.folder+"/")
}

// someJob finds the IDs of jobs in the manual, which all begin alike.
var someJob = regexp.MustCompile(`\b6B0[0-9A-F]+\b`)

// job returns a shell's expression for the ID of a job: the first that the page names is the oldest.
func (s *shell) job(named string) string {
	at := slices.Index(s.named, named)
	if at < 0 {
		at, s.named = len(s.named), append(s.named, named)
	}
	return fmt.Sprintf("$(job %d)", at)
}

// jobFunction is the shell function for these expressions.
const jobFunction = `job() { sledge jobs list --action run --json | jq -r ".jobs | reverse | .[$1].id"; }
`

var (
	hosts   = regexp.MustCompile(`\bdb(\d)\b`)
	ids     = regexp.MustCompile(`\b[0-9A-F]{12,}\b`)
	figures = regexp.MustCompile(`[-+]?\d[\d,.:T/-]*(Z|\+00:00)?`)
	blanks  = regexp.MustCompile(`[\s│╭╮╰╯─┤┼┬└]+`)
)

// withoutFigures reduces a line to what is the same each time that it is printed.
func withoutFigures(line string) string {
	line = hosts.ReplaceAllString(line, "$1")
	line = ids.ReplaceAllString(line, "ID")
	line = figures.ReplaceAllString(line, "0")
	return strings.TrimSpace(blanks.ReplaceAllString(line, " "))
}
