package interpreter

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// environment is the variable that tells a process how to reach the console: an address and a
// token, separated by a space.
const environment = "SLEDGE_CONSOLE"

// message is a line of JSON, in either direction. The process first sends hello with the token, and
// receives commands. Then the console sends eval, a file to run, a script to check for
// completeness, or text to print with the script's puts, and the process responds with done.
// Meanwhile the process may send calls of commands. It receives a reply to each, and before it
// prints, if the call asks for them, and scripts for Tcl to evaluate. The console may send cancel
// at any time, and sends close at the end. The process sends interrupt for a Ctrl-C while it waits
// for a reply, failed after an error that ended its script, event after an error that no script can
// catch, and exit before a script ends the process.
type message struct {
	Type      string   `json:"type"`
	Token     string   `json:"token,omitempty"`     // hello
	Commands  []string `json:"commands,omitempty"`  // commands
	Words     []string `json:"words,omitempty"`     // commands: arguments of the console's command print
	Name      string   `json:"name,omitempty"`      // call
	Args      []string `json:"args,omitempty"`      // call, file
	Folder    string   `json:"folder,omitempty"`    // call: the working folder
	Divert    bool     `json:"divert,omitempty"`    // call: the process prints the output of the command; done: of every command
	Script    string   `json:"script,omitempty"`    // eval, complete, tcl
	Path      string   `json:"path,omitempty"`      // file
	Result    string   `json:"result,omitempty"`    // done, reply: the result, or the message of a failure; failed; event; print, puts: the text
	Complete  bool     `json:"complete,omitempty"`  // done, after complete
	Failed    bool     `json:"failed,omitempty"`    // done, reply
	Stopped   bool     `json:"stopped,omitempty"`   // done, reply, failed: it was interrupted
	Quit      bool     `json:"quit,omitempty"`      // reply: the process must end
	Info      string   `json:"info,omitempty"`      // done: Tcl's errorInfo
	Line      int      `json:"line,omitempty"`      // done: the line of the script at which it failed
	Signalled bool     `json:"signalled,omitempty"` // done: a program that the script waited for may have received Ctrl-C
	Code      int      `json:"code,omitempty"`      // exit
}

// link is a connection to a process. Any goroutine may send; only one may receive.
type link struct {
	connection net.Conn
	in         *json.Decoder

	mu  sync.Mutex
	out *json.Encoder
}

func newLink(c net.Conn, in io.Reader) *link {
	return &link{connection: c, in: json.NewDecoder(in), out: json.NewEncoder(c)}
}

func (l *link) send(m message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Encode(m)
}

func (l *link) receive() (m message, err error) {
	err = l.in.Decode(&m)
	return m, err
}

// greeting is the time limit for hello after a process has connected, and greetingSize the maximum
// number of bytes, so that other programs cannot fill the memory.
const (
	greeting     = 5 * time.Second
	greetingSize = 1 << 10
)

// door accepts the connection of one process. Other programs on the machine can connect too, but do
// not know the token.
type door struct {
	listener net.Listener
	token    string
}

func openDoor() (*door, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the interpreter: %w", err)
	}
	return &door{listener, rand.Text()}, nil
}

// variable returns the line of the environment that tells a process how to reach the door.
func (d *door) variable() string {
	return environment + "=" + d.listener.Addr().String() + " " + d.token
}

// admit waits for the process that knows the token, and then stops listening.
func (d *door) admit(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { d.listener.Close() })()
	known := make(chan *link, 1)
	var knocking sync.WaitGroup
	for {
		c, err := d.listener.Accept()
		if err != nil {
			break
		}
		knocking.Go(func() {
			if l := d.greet(ctx, c); l != nil {
				select {
				case known <- l:
					cancel()
				default:
					c.Close() // the token was used twice
				}
			}
		})
	}
	cancel()
	knocking.Wait()
	select {
	case l := <-known:
		return l, nil
	default:
		return nil, errors.New("it did not connect")
	}
}

// greet returns the link if the peer sends the token, else nil.
func (d *door) greet(ctx context.Context, c net.Conn) *link {
	defer context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })()
	_ = c.SetReadDeadline(time.Now().Add(greeting)) // if the connection has ended, reading fails too
	in := bufio.NewReaderSize(c, greetingSize)
	hello, err := in.ReadSlice('\n') // a longer line is an error
	var m message
	if err == nil {
		err = json.Unmarshal(hello, &m)
	}
	if err != nil || m.Type != "hello" || subtle.ConstantTimeCompare([]byte(m.Token), []byte(d.token)) != 1 {
		c.Close()
		return nil
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		c.Close()
		return nil
	}
	return newLink(c, in)
}
