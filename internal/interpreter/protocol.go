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

// environment names the variable that a process finds the console by: its address
// and a token, divided by a space.
const environment = "SLEDGE_CONSOLE"

// message is one line of JSON, in either direction. The process sends hello first, with the
// token, and receives the commands. Then the console sends eval, a file to run, a script to
// check for completeness or text to print by the script's puts, and the process replies with
// done. In between the process may call commands; each gets a reply, preceded by prints if the
// call asks for them, and by scripts for Tcl to evaluate. The console may send cancel at any
// time, and close at the end. The process sends interrupt on Ctrl-C while it waits for a reply,
// failed after an error that ended its script, event after an error that no script sees, and
// exit before the script ends it.
type message struct {
	Type      string   `json:"type"`
	Token     string   `json:"token,omitempty"`     // hello
	Commands  []string `json:"commands,omitempty"`  // commands
	Words     []string `json:"words,omitempty"`     // commands: what the command print can show
	Name      string   `json:"name,omitempty"`      // call
	Args      []string `json:"args,omitempty"`      // call, file
	Folder    string   `json:"folder,omitempty"`    // call: the working folder
	Divert    bool     `json:"divert,omitempty"`    // call: what the command prints is the process's to print; done: so it is of any command
	Script    string   `json:"script,omitempty"`    // eval, complete, tcl
	Path      string   `json:"path,omitempty"`      // file
	Result    string   `json:"result,omitempty"`    // done, reply: the result, or the message of a failure; failed; event; print, puts: the text
	Complete  bool     `json:"complete,omitempty"`  // done, after complete
	Failed    bool     `json:"failed,omitempty"`    // done, reply
	Stopped   bool     `json:"stopped,omitempty"`   // done, reply, failed: because it was interrupted
	Quit      bool     `json:"quit,omitempty"`      // reply: the process is to end
	Info      string   `json:"info,omitempty"`      // done: Tcl's errorInfo
	Line      int      `json:"line,omitempty"`      // done: of the script, where it failed
	Signalled bool     `json:"signalled,omitempty"` // done: a program that the script waited for may have got a Ctrl-C
	Code      int      `json:"code,omitempty"`      // exit
}

// link is a connection to a process. Any goroutine may send; one receives.
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

// greeting is how long a process may take to say hello once it has connected, and
// greetingSize how many bytes: strangers are not to fill the memory.
const (
	greeting     = 5 * time.Second
	greetingSize = 1 << 10
)

// door is where one process is expected. Others on the machine can knock, too,
// and do not know the token.
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

// variable is the line of the environment that a process finds the door by.
func (d *door) variable() string {
	return environment + "=" + d.listener.Addr().String() + " " + d.token
}

// admit waits for the process that knows the token, and closes the door.
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
	_ = c.SetReadDeadline(time.Now().Add(greeting)) // a connection that is gone fails to be read, too
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
