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

// redis is a Redis server. Redis runs calls one after another in a single thread, so users never
// wait for locks, and two warehouses are enough for any number of users.
type redis struct {
	*testserver.Server
	port int // port to connect to, if it is not the server's
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

// overSocket returns nil, because there is no option for a socket.
func (r redis) overSocket() reachable { return nil }

// with calls do with a client.
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

// TestRoutinesRedis measures the client's CPU time for a function call. redis-benchmark, which has
// one thread, too, can only repeat a command with the same arguments, so the comparison uses
// payments, which send and return similar data for all customers. Calls per second have no target,
// because sledge's payments cost the server more: most look up the customer by name. The mix is
// measured without a comparison.
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

// runBenchmark runs redis-benchmark with payments of one customer. redis-benchmark has no time
// limit, so it is interrupted after the given time.
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

// TestBuildRedis compares a complete build with two parallel redis-cli --pipe that send the
// recorded commands of the build's two builders.
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

// recordBuild builds through a proxy that records the data of each connection, and returns the
// files of the connections that sent rows.
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
	const rows = 1 << 20 // bytes; connections with less did not send rows
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

// relay forwards data between a client and the server, and writes the client's data to a file.
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

// pipe sends all files at once, each with a redis-cli, and returns the time.
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
