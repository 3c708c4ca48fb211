//go:build bench

package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"sledge/internal/option"
	"sledge/internal/testserver"
)

// redis is a server of Redis, which is a program of one thread: its calls never wait for each
// other, whatever they are of, so that two warehouses are enough for any number of users.
type redis struct {
	*testserver.Server
	port int // to connect to, where that is not the server's
}

const redisWarehouses = 2

func openRedis(t *testing.T) redis {
	t.Helper()
	s := testserver.Open(t, "redis")
	return redis{s, s.Port}
}

func (r redis) values() option.Values {
	values := maps.Clone(option.Values(r.Values()))
	values["port"] = strconv.Itoa(r.port)
	return values
}

func (r redis) title() string { return "Redis " + r.Version }

func (r redis) name() string { return "redis" }

// overSocket returns nothing: the option is not there.
func (r redis) overSocket() reachable { return nil }

// with gives do a client.
func (r redis) with(t *testing.T, do func(context.Context, *goredis.Client) error) {
	t.Helper()
	client := goredis.NewClient(&goredis.Options{Addr: net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), Password: r.Password})
	defer client.Close()
	if err := do(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

func (r redis) drop(t *testing.T) {
	t.Helper()
	r.with(t, func(ctx context.Context, c *goredis.Client) error {
		return c.FlushAll(ctx).Err()
	})
}

// calls counts the calls of functions.
func (r redis) calls(t *testing.T) (n int64) {
	t.Helper()
	r.with(t, func(ctx context.Context, c *goredis.Client) error {
		text, err := c.Info(ctx, "commandstats").Result()
		for line := range strings.Lines(text) {
			if rest, is := strings.CutPrefix(line, "cmdstat_fcall:calls="); is {
				number, _, _ := strings.Cut(rest, ",")
				n, err = strconv.ParseInt(number, 10, 64)
			}
		}
		return err
	})
	return n
}

// TestRoutinesRedis measures the client's CPU time for a call of a function. redis-benchmark,
// which has one thread, too, sends one command with the same arguments again and again; so it
// is compared by payments, which send and return similar data for all customers. Those of
// sledge cost the server more, because most look up the customer by name: so calls a second
// have no target. The mix is measured on its own.
func TestRoutinesRedis(t *testing.T) {
	r := openRedis(t)
	r.drop(t)
	defer r.drop(t)
	build(t, r, redisWarehouses, builders)
	c := comparison{
		what: "routine call", server: r, users: 8, count: func() int64 { return r.calls(t) }, process: r.Pid(), absolute: atMost(20),
	}
	compareCPU(t, c)
	c.what, c.flags, c.absolute = "call of payment", []string{"--set", "mix=0,1,0,0,0"}, nil
	c.peer, c.runPeer, c.relative = "redis-benchmark", r.runBenchmark(t), atMost(1.15)
	compareCPU(t, c)
}

// runBenchmark is redis-benchmark with payments of one customer. It does as many requests as it
// is told, and is ended when the time is over.
func (r redis) runBenchmark(t *testing.T) func(reachable) program {
	t.Helper()
	path, err := exec.LookPath("redis-benchmark")
	if err != nil {
		t.Logf("%s is compared with nothing: %v", r.title(), err)
		return nil
	}
	return func(reachable) program {
		return func(users int, length time.Duration) ended {
			t.Helper()
			cmd := command(t, nil, path, "-h", r.Host, "-p", strconv.Itoa(r.Port), "-a", r.Password, "-c", strconv.Itoa(users), "-n", "1000000000", "-q",
				"FCALL", "tpcc_0_payment", "0", "1", "1", "1", "1", "7", "0", "250000", "")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(length)
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was interrupted
			return ended{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: length}
		}
	}
}

// TestBuildRedis compares a whole build with redis-cli --pipe, two at a time, that send what the
// two builders of a build have sent.
func TestBuildRedis(t *testing.T) {
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip(err)
	}
	r := openRedis(t)
	r.drop(t)
	defer r.drop(t)
	sent := r.recordBuild(t)
	var built, copied []float64
	for range rounds() {
		r.drop(t)
		built = append(built, build(t, r, buildWarehouses, builders).Seconds())
		r.drop(t)
		copied = append(copied, r.pipe(t, sent).Seconds())
	}
	ratio := ratios(built, copied)
	note(t, figure{
		What:  fmt.Sprintf("%s: build of %d warehouses, %d builders, against bare redis-cli --pipe by %d clients", r.title(), buildWarehouses, builders, len(sent)),
		Value: median(ratio), Unit: "x", Target: atMost(1.3),
		Detail: fmt.Sprintf("%.1f s against %.1f s; %s", median(built), median(copied), spread(ratio)),
	})
}

// recordBuild builds through a door that writes down what each connection sends, and returns the
// files of those that sent rows.
func (r redis) recordBuild(t *testing.T) (files []string) {
	t.Helper()
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	folder := t.TempDir()
	var connections sync.WaitGroup
	connections.Go(func() {
		for n := 0; ; n++ {
			client, err := door.Accept()
			if err != nil {
				return // the build is over
			}
			file := filepath.Join(folder, strconv.Itoa(n))
			connections.Go(func() {
				if err := r.relay(client, file); err != nil {
					t.Error(err)
				}
			})
		}
	})
	through := r
	through.port = door.Addr().(*net.TCPAddr).Port
	build(t, through, buildWarehouses, builders)
	door.Close()
	connections.Wait()
	const rows = 1 << 20 // bytes; clients that sent fewer sent none
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if info, err := os.Stat(file); err == nil && info.Size() > rows {
			files = append(files, file)
		}
	}
	if len(files) != builders {
		t.Fatalf("%d connections sent rows, want %d", len(files), builders)
	}
	return files
}

// relay hands on what a client and the server say, and writes the client's part to a file.
func (r redis) relay(client net.Conn, file string) error {
	defer client.Close()
	server, err := net.Dial("tcp", net.JoinHostPort(r.Host, strconv.Itoa(r.Port)))
	if err != nil {
		return err
	}
	defer server.Close()
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(client, server) // ends with the connection
	}()
	_, err = io.Copy(io.MultiWriter(server, to), client)
	return err
}

// pipe has a redis-cli send each file, all at once, and returns how long that took.
func (r redis) pipe(t *testing.T, files []string) time.Duration {
	t.Helper()
	var clients errgroup.Group
	start := time.Now()
	for _, file := range files {
		clients.Go(func() error {
			from, err := os.Open(file)
			if err != nil {
				return err
			}
			defer from.Close()
			cmd := command(t, nil, "redis-cli", "-h", r.Host, "-p", strconv.Itoa(r.Port), "--no-auth-warning", "-a", r.Password, "--pipe")
			cmd.Stdin = from
			output, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(output), "errors: 0,") {
				return fmt.Errorf("redis-cli: %w\n%s", err, lastLines(string(output)))
			}
			return nil
		})
	}
	if err := clients.Wait(); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}
