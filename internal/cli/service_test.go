package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sledge/internal/cli/hammerdb"
	"sledge/internal/cli/site"
	"sledge/internal/hammerdb/console"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// typing is a console with its output.
type typing struct {
	*console.Console
	t   *testing.T
	out bytes.Buffer
}

// newTyping returns a console of a world, with its own settings.
func newTyping(t *testing.T, w *world) *typing {
	t.Helper()
	c := &typing{t: t}
	w.Whole, w.Stderr = &c.out, &w.err
	var err error
	if c.Console, err = hammerdb.NewConsole(w.Program, "", "", nil, false); err != nil {
		t.Fatal(err)
	}
	return c
}

// types types a command and returns the output. Parts that differ between runs are replaced by
// names.
func (c *typing) types(line string) string {
	c.t.Helper()
	c.out.Reset()
	words := strings.Fields(line)
	if _, err := c.Call(c.t.Context(), console.Call{Name: words[0], Args: words[1:]}); err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return c.out.String()
}

var linkPattern = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S*`)

// The console serves the web application until it ends. It ends another server only if this user
// started it.
func TestConsole_ServesTheWebApplication(t *testing.T) {
	w := newWorld(t)
	port, taken := testserver.FreePort(t), testserver.FreePort(t)
	other, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", taken))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	one, two := newTyping(t, w), newTyping(t, w)
	fill := strings.NewReplacer("$PORT", fmt.Sprint(port), "$TAKEN", fmt.Sprint(taken), "$REPO", w.repository)
	for _, step := range []struct {
		by          *typing
		types, want string
	}{
		{one, "wsport", "Web Service Port set to 8080\n"},
		{one, "wsport x", "Error: Web Service port should be an integer\n"},
		{one, "wsport 8.5", "Error: Web Service port should be an integer\n"},
		{one, "wsport 0", "Error: webservice:ws_port: 0 is less than 1; allowed: whole number from 1 to 65535\n"},
		{one, "wsport $TAKEN", "Setting Web Service port to $TAKEN\n"},
		{one, "wsstart", "Error: Web Service on port $TAKEN: port $TAKEN is in use by another program, perhaps another sledge web: choose another port\n"},
		{one, "wsstop", "Web Service not running: no server of this job repository runs on the port\n"},
		{one, "wsport $PORT", "Setting Web Service port to $PORT\n"},
		{one, "wsport", "Web Service Port set to $PORT\n"},
		{two, "wsport $PORT", "Setting Web Service port to $PORT\n"},
		{one, "wsstatus", "Web Service not running: no server of this job repository runs on the port\n"},
		{one, "wsstart", "Starting HammerDB Web Service on port $PORT\nOpen this link, which logs you in once: http://127.0.0.1:$PORT/login?token=...\n"},
		{one, "wsstart", "Error: Web Service already running on port $PORT, call wsstop to stop\n"},
		{two, "wsstart", "Error: Web Service already running on port $PORT, call wsstop to stop\n"},
		{one, "wsport $TAKEN", "Setting Web Service port to $TAKEN\n"}, // applies to the next start
		{one, "wsstatus", "Web Service running: Service Environment\n\nBASE_URL = http://127.0.0.1:$PORT/\nPATH_HEAD = env\nPATH_INFO = /env\nREQUEST_METHOD = GET\nSERVICE = Sledge v1.2.3\nSQLITE_DB = $REPO\nSQLITE_DB_BYTES = ...\n"},
		{two, "wsstop", "Stopping HammerDB Web Service on port $PORT\n"},
		{one, "wsport $PORT", "Setting Web Service port to $PORT\n"},
		{one, "wsstatus", "Web Service not running: no server of this job repository runs on the port\n"},
		{one, "wsstart", "Stopping HammerDB Web Service on port $PORT\nStarting HammerDB Web Service on port $PORT\nOpen this link, which logs you in once: http://127.0.0.1:$PORT/login?token=...\n"},
		{one, "wsstop", "Stopping HammerDB Web Service on port $PORT\n"},
		{one, "wsstop", "Web Service not running: no server of this job repository runs on the port\n"},
		{one, "wsstart", "Starting HammerDB Web Service on port $PORT\nOpen this link, which logs you in once: http://127.0.0.1:$PORT/login?token=...\n"},
	} {
		got := step.by.types(fill.Replace(step.types))
		got = regexp.MustCompile(`token=\S+`).ReplaceAllString(got, "token=...")
		got = regexp.MustCompile(`BYTES = \d+`).ReplaceAllString(got, "BYTES = ...")
		if want := fill.Replace(step.want); got != want {
			t.Fatalf("%s: got\n%s\nwant\n%s", step.types, got, want)
		}
	}
	link := linkPattern.FindString(one.out.String())
	if status, body := visit(t, client(t), link); status != 200 || !strings.Contains(body, "logged in") {
		t.Errorf("the link %s: got %d %s", link, status, body)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(link); err != nil {
		t.Errorf("the end of another console ended the server: %v", err)
	}
	one.out.Reset()
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if got := one.out.String(); got != fill.Replace("Stopping HammerDB Web Service on port $PORT\n") {
		t.Errorf("the end of the console printed %q", got)
	}
	if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
		conn.Close()
		t.Error("the server outlives its console")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.repository), "web-running-*")); len(left) > 0 {
		t.Errorf("the server left %q", left)
	}
}

// The file of a running server may remain after its process has ended, while another program uses
// the port. The console must not send that program a request to end.
func TestConsole_DoesNotEndOtherPrograms(t *testing.T) {
	w := newWorld(t)
	port, asked := testserver.FreePort(t), make(chan string, 10)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	stranger := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Method + r.URL.Path })}
	go func() { _ = stranger.Serve(listener) }()
	defer stranger.Close()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	c := newTyping(t, w)
	defer c.Close()
	c.types(fmt.Sprintf("wsport %d", port))
	for name, process := range map[string]string{
		"a pid of another process": fmt.Sprintf(`{"Host":%q,"PID":%d,"Begun":"2001-01-01T00:00:00Z"}`, host, os.Getpid()),
		"a pid without a process":  fmt.Sprintf(`{"Host":%q,"PID":2147483646,"Begun":"2001-01-01T00:00:00Z"}`, host),
		"another host's":           `{"Host":"elsewhere.example","PID":1,"Begun":"2001-01-01T00:00:00Z"}`,
	} {
		text := fmt.Sprintf(`{"process":%s,"home":"http://127.0.0.1:%d/","key":"k"}`, process, port)
		if err := os.WriteFile(site.RunningFile(filepath.Dir(w.repository), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"wsstatus", "wsstop"} {
			if got := c.types(command); !strings.HasPrefix(got, "Web Service not running: ") {
				t.Errorf("%s: %s: got %s", name, command, got)
			}
		}
	}
	if len(asked) > 0 {
		t.Errorf("another program got a request for %s", <-asked)
	}
}

// starting runs the program as hammerdbws until it has printed an address.
func starting(t *testing.T, w *world, input io.Reader, args ...string) (printed string, more <-chan string, ended <-chan job.Exit) {
	t.Helper()
	r, out := io.Pipe()
	w.Name, w.Args, w.Stdin, w.Stdout, w.Stderr = "hammerdbws", args, input, out, &w.err
	w.err.Reset()
	end, rest := make(chan job.Exit, 1), make(chan string, 1)
	go func() {
		end <- Run(context.Background(), w.Program)
		_ = out.Close()
	}()
	lines := bufio.NewReader(r)
	for !linkPattern.MatchString(printed) {
		line, err := lines.ReadString('\n')
		printed += line
		if err != nil {
			t.Fatalf("hammerdbws %v ended: %s%s", args, printed, &w.err)
		}
	}
	go func() {
		text, _ := io.ReadAll(lines) // a short read fails the test below
		rest <- string(text)
	}()
	return printed, rest, end
}

func TestHammerdbws_StartsByItsName(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	other.Environ = w.Environ
	port := testserver.FreePort(t)
	w.Whole, w.Stderr = &w.out, &w.err
	settings, err := hammerdb.NewConsole(w.Program, filepath.Join(filepath.Dir(w.repository), "settings.db"), "", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Call(t.Context(), console.Call{Name: "wsport", Args: []string{fmt.Sprint(port)}}); err != nil || settings.Failure() != nil {
		t.Fatal(err, settings.Failure())
	}
	if err := settings.Close(); err != nil {
		t.Fatal(err)
	}
	ends := func(ended <-chan job.Exit, what string) {
		t.Helper()
		select {
		case code := <-ended:
			if code != job.OK {
				t.Errorf("%s: got exit code %d: %s", what, code, &w.err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("hammerdbws %s does not end", what)
		}
	}
	other.Name = "/usr/local/bin/hammerdbws"
	for _, mode := range []string{"", "start", "wait", "gui"} {
		printed, _, ended := starting(t, w, strings.NewReader(""), strings.Fields(mode)...)
		banner := fmt.Sprintf("Sledge Web Service v1.2.3\nWeb Service using on-disk database %s\nStarting HammerDB Web Service on port %d\nListening for HTTP requests on TCP port %d\n", w.repository, port, port)
		if mode == "gui" {
			banner = "http://"
		}
		if !strings.HasPrefix(printed, banner) || !strings.Contains(printed, "login?token=") {
			t.Errorf("%s: got %s", mode, printed)
		}
		if mode == "wait" {
			w.interrupt()
		} else if code := other.run("stop"); code != job.OK || other.out.String() != fmt.Sprintf("Stopping HammerDB Web Service on port %d\n", port) {
			t.Errorf("stop: got exit code %d, %s%s", code, &other.out, &other.err)
		}
		ends(ended, mode)
	}
	_, rest, ended := starting(t, w, strings.NewReader("help\nenv\njobs result\nvurun\n\nquit\n"), "nowait")
	ends(ended, hammerdb.ServiceNoWait)
	said := <-rest
	for _, want := range []string{"quit        end the service\n", "\nBASE_URL = http://127.0.0.1:", "\n{}\n", "for other commands, such as vurun, use hammerdbcli\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("nowait: got %s, want %q in it", said, want)
		}
	}
	for _, test := range []struct {
		args, want string
		code       job.Exit
	}{
		{"stop", "Web Service not running: no server of this job repository runs on the port\n", job.OK},
		{"now", hammerdb.ServiceWrong + "\n", job.ExitUsage},
		{"wait nowait", hammerdb.ServiceWrong + "\n", job.ExitUsage},
		{"scgi", fmt.Sprintf("Error starting HammerDB webservice on port %d in scgi mode : Sledge does not support SCGI: let the proxy forward HTTP to sledge web --base-path /PATH --trusted-proxy 127.0.0.1\n", port), job.ExitUsage},
		{"--help", hammerdb.ServiceHelp + "\n", job.OK},
		{"version", "Sledge Web Service v1.2.3\n", job.OK},
	} {
		if code := other.run(strings.Fields(test.args)...); code != test.code || other.out.String() != test.want {
			t.Errorf("hammerdbws %s: got exit code %d and %s%s", test.args, code, &other.out, &other.err)
		}
	}
}

// Jobs that a browser has started are stopped before the server ends, and their results are
// recorded.
func TestHammerdbws_StopsJobsOfBrowsers(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		<-control.Stop
		return job.Result{Status: job.Partial, Extent: job.Extent{Started: time.Now()}}, nil
	})
	c := newTyping(t, w)
	defer c.Close()
	c.types(fmt.Sprintf("wsport %d", testserver.FreePort(t)))
	browser := client(t)
	link := linkPattern.FindString(c.types("wsstart"))
	visit(t, browser, link)
	home, _, _ := strings.Cut(link, "login?")
	settings := fmt.Sprintf(`{"action":"run","settings":{"db":"sqlite","file":%q,"users":1}}`, filepath.Join(t.TempDir(), "t.db"))
	answer, err := browser.Post(home+"api/v1/jobs", "application/json", strings.NewReader(settings))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body) // a short read fails the test below
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		t.Fatalf("got %s %s", answer.Status, text)
	}
	c.types("wsstop")
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Partial {
		t.Errorf("got the jobs %+v, want one stopped job", jobs)
	}
	if !strings.Contains(w.err.String(), "Stopping job ") {
		t.Errorf("no line names the job that it waited for: %s", &w.err)
	}
}
