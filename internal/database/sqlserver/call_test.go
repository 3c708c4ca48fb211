//go:build unix

package sqlserver

import (
	"bufio"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

// A stand-in in a process of its own, so that what it costs is not taken for the client's: the
// test program runs again as one where the environment says so, until its input ends.
const asStandIn = "SLEDGE_TEST_AS_STANDIN"

func init() {
	if os.Getenv(asStandIn) == "" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	answer := append(rows([]string{"no_d_next_o_id"}, []any{int64(3001)}), done(1)...)
	s := &standIn{}
	s.answer = answering(func(request) []byte {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = s.got[:0]
		return answer
	})
	go func() {
		for {
			if conn, err := l.Accept(); err == nil {
				go s.serve(conn)
			}
		}
	}()
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// standInBeside starts a stand-in that answers every call of a routine at once, and returns
// two ways to call one there: by a session of ours, and by the driver alone.
func standInBeside(t testing.TB) (ours, bare func() error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), program)
	process.Env = append(os.Environ(), asStandIn+"=1")
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = process.Wait()
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	dialled := func() *session {
		l := login{server: &newOptionsOf(t, port).server, Database: "tpcc"}
		s, err := dial(context.Background(), l, "tpcc")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}

	in := struct {
		W  int64  `sql:"w_id"`
		D  int64  `sql:"d_id"`
		By string `sql:"c_last"`
	}{1000, 2000, "BARBARBAR"}
	var out struct {
		Order int64 `sql:"no_d_next_o_id"`
	}
	st, err := dialled().Prepare(context.Background(), parsed(t, "EXECUTE dbo.neword @a = :w_id, @b = :d_id, @c = :c_last"), &in, &out)
	if err != nil {
		t.Fatal(err)
	}
	ours = func() error {
		n, err := st.Run(context.Background(), nil)
		if err == nil && (n != 1 || out.Order != 3001) {
			err = fmt.Errorf("got %d rows and order %d", n, out.Order)
		}
		return err
	}

	prepared, err := dialled().conn.PrepareContext(context.Background(), "dbo.neword")
	if err != nil {
		t.Fatal(err)
	}
	args := []driver.NamedValue{{Ordinal: 1, Name: "a"}, {Ordinal: 2, Name: "b"}, {Ordinal: 3, Name: "c"}}
	row := make([]driver.Value, 1)
	bare = func() error {
		args[0].Value, args[1].Value, args[2].Value = in.W, in.D, mssql.VarChar(in.By)
		got, err := prepared.(*mssql.Stmt).QueryContext(context.Background(), args)
		if err != nil {
			return err
		}
		for err == nil {
			if len(got.Columns()) == 0 {
				return fmt.Errorf("got no columns")
			}
			err = got.Next(row)
		}
		if err == io.EOF {
			err = got.(driver.RowsNextResultSet).NextResultSet()
		}
		if err != io.EOF || row[0] != int64(3001) {
			return fmt.Errorf("got %v, %w", row, err)
		}
		return got.Close()
	}
	return ours, bare
}

// Every call of Sledge's waits for its answer once, and the driver alone allocates what it does.
func TestACallAllocatesNoMoreThanTheDriverAlone(t *testing.T) {
	ours, bare := standInBeside(t)
	count := func(call func() error) float64 {
		return testing.AllocsPerRun(1000, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		})
	}
	driverAlone := count(bare)
	if got := count(ours); got > driverAlone {
		t.Errorf("a call allocates %.0f times, and by the driver alone %.0f times", got, driverAlone)
	}
}

// BenchmarkCall is what a call of a routine costs the client, in CPU time of this process by the
// kernel's account: by a session of ours, and by the driver alone, in turns. An operation is
// calls of each.
func BenchmarkCall(b *testing.B) {
	const calls = 500
	ours, bare := standInBeside(b)
	var byUs, byDriver time.Duration
	n := 0
	measure := func(sum *time.Duration, call func() error) {
		began := used(b)
		for range calls {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
		*sum += used(b) - began
	}
	for b.Loop() {
		measure(&byUs, ours)
		measure(&byDriver, bare)
		n += calls
	}
	each := func(sum time.Duration) float64 { return float64(sum.Microseconds()) / float64(n) }
	b.ReportMetric(each(byUs), "cpu-µs/call")
	b.ReportMetric(each(byDriver), "cpu-µs/call-of-driver")
	b.ReportMetric(byUs.Seconds()/byDriver.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op") // of both together, with what they wait
}

// used returns the CPU time of this process so far.
func used(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
