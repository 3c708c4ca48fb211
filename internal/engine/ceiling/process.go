package ceiling

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
)

// Command is the argument that makes this program a stand-in.
const Command = "stand-in"

// The stand-in reads a request, which is its spec, and then empty requests, from standard input, and
// answers each with a report. It ends with its input, so also if the program that started it ends.
type (
	request struct {
		Spec *job.Spec `json:"spec,omitempty"`
	}
	report struct {
		Port   int    `json:"port"`
		Ended  int64  `json:"ended"`            // transactions so far
		Lacked string `json:"lacked,omitempty"` // a statement without an answer
		Error  string `json:"error,omitempty"`  // why there is no stand-in
	}
)

// Main runs a stand-in of a database of the catalog, and returns the exit code. It ignores the
// terminal's signals, which the program that started it handles. It leaves half of the cores to the client.
func Main(c catalog.Catalog) job.Exit {
	signal.Ignore(os.Interrupt, syscall.SIGHUP, syscall.SIGPIPE)
	defer host.UseCores(host.CoreUse{})()
	if err := serve(c, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "sledge: %v\n", err)
		return job.ExitOf(err)
	}
	return job.OK
}

// serve runs a stand-in until its input ends.
func serve(c catalog.Catalog, in io.Reader, out io.Writer) error {
	requests, reports := json.NewDecoder(in), json.NewEncoder(out)
	var first request
	if err := requests.Decode(&first); err != nil || first.Spec == nil {
		return job.WithExit(job.ExitUsage, errors.New("sledge ceiling starts its stand-in itself"))
	}
	answers, listener, err := listen(c, *first.Spec)
	if err != nil {
		return reports.Encode(report{Error: err.Error()})
	}
	defer listener.Close()
	for {
		if err := reports.Encode(report{Port: listener.Addr().(*net.TCPAddr).Port, Ended: answers.Ended(), Lacked: answers.Lacked()}); err != nil {
			return err
		}
		var next request
		if err := requests.Decode(&next); err != nil {
			return nil // the measurement is over, or its process is gone
		}
	}
}

// listen begins to answer the connections to a port of this machine.
func listen(c catalog.Catalog, spec job.Spec) (*database.Answers, net.Listener, error) {
	pair, err := c.PairOf(spec)
	if err != nil {
		return nil, nil, err
	}
	p, err := plan.New(pair, spec)
	if err != nil {
		return nil, nil, err
	}
	answers := database.NewAnswers(p.SQL, pair.Workload.Users.Answers(p.SQL))
	serve, err := pair.Database.StandIn.New(answers)
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = serve(conn) // its client notices the end of the connection
			}()
		}
	}()
	return answers, listener, nil
}

// standIn is a stand-in in a process of its own, so that its CPU time is not the client's.
type standIn struct {
	*exec.Cmd
	cancel   context.CancelFunc
	requests *json.Encoder
	reports  *json.Decoder
	said     bytes.Buffer
	first    report
}

// endsWithin is how long a stand-in may take to end after its input has ended, before it is killed.
const endsWithin = 5 * time.Second

// start starts the stand-in for a spec. The end of ctx ends it.
func start(ctx context.Context, program string, spec job.Spec) (*standIn, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &standIn{Cmd: exec.CommandContext(ctx, program, Command), cancel: cancel}
	s.Stderr, s.WaitDelay = &s.said, endsWithin
	in, err := s.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	s.Cancel = in.Close
	out, err := s.StdoutPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start the stand-in of a server: %w", err)
	}
	s.requests, s.reports = json.NewEncoder(in), json.NewDecoder(out)
	if s.first, err = s.ask(request{Spec: &spec}); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// ask returns the stand-in's next report.
func (s *standIn) ask(next request) (r report, err error) {
	if err = s.requests.Encode(next); err == nil {
		err = s.reports.Decode(&r)
	}
	switch {
	case err != nil:
		s.end() // its last words are complete when it has ended
		return r, fmt.Errorf("the stand-in of a server has ended: %w: %s", err, bytes.TrimSpace(s.said.Bytes()))
	case r.Error != "":
		return r, fmt.Errorf("the stand-in of a server cannot start: %s", r.Error)
	case r.Lacked != "":
		return r, fmt.Errorf("the stand-in of a server has no answer to: %s", r.Lacked)
	}
	return r, nil
}

// cause returns the statement that the stand-in could not answer as the cause of a failure, or the failure
// itself. A stand-in may end a connection without an error message.
func (s *standIn) cause(failure error) error {
	if job.ExitOf(failure) == job.ExitStopped {
		return failure
	}
	if _, err := s.ask(request{}); err != nil {
		return err
	}
	return failure
}

// end ends the stand-in and waits for its process.
func (s *standIn) end() {
	s.cancel()
	_ = s.Wait() // its outcome does not matter any more
}
