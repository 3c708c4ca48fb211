package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
)

// environment names the variable that the console tells its address and a token
// in, divided by a space. internal/interpreter sets it.
const environment = "SLEDGE_CONSOLE"

// message is one line of JSON, in either direction. internal/interpreter declares
// the same and says what each type means.
type message struct {
	Type      string   `json:"type"`
	Token     string   `json:"token,omitempty"`
	Name      string   `json:"name,omitempty"`
	Args      []string `json:"args,omitempty"`
	Folder    string   `json:"folder,omitempty"`
	Divert    bool     `json:"divert,omitempty"`
	Commands  []string `json:"commands,omitempty"`
	Words     []string `json:"words,omitempty"`
	Script    string   `json:"script,omitempty"`
	Path      string   `json:"path,omitempty"`
	Result    string   `json:"result,omitempty"`
	Complete  bool     `json:"complete,omitempty"`
	Code      int      `json:"code,omitempty"`
	Failed    bool     `json:"failed,omitempty"`
	Stopped   bool     `json:"stopped,omitempty"`
	Quit      bool     `json:"quit,omitempty"`
	Info      string   `json:"info,omitempty"`
	Line      int      `json:"line,omitempty"`
	Signalled bool     `json:"signalled,omitempty"`
}

// link is the connection to the console.
type link struct {
	requests chan message // work to do, closed when the console is gone
	replies  chan message // what a call prints, if it is diverted, and returns
	commands []string     // names of the console's commands

	in *json.Decoder

	mu  sync.Mutex
	out *json.Encoder
}

// connect introduces this process to the console that started it.
func connect() (*link, error) {
	address, token, ok := strings.Cut(os.Getenv(environment), " ")
	if !ok {
		return nil, errors.New("it is started by sledge console and does not work alone")
	}
	// Programs that scripts start have no business with the console.
	if err := os.Unsetenv(environment); err != nil {
		return nil, err
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to the console: %w", err)
	}
	l := &link{
		requests: make(chan message, 1),
		replies:  make(chan message, 1),
		out:      json.NewEncoder(connection),
	}
	if err := l.send(message{Type: "hello", Token: token}); err != nil {
		return nil, err
	}
	l.in = json.NewDecoder(bufio.NewReader(connection))
	var first message
	if err := l.in.Decode(&first); err != nil {
		return nil, fmt.Errorf("read the commands: %w", err)
	}
	l.commands = first.Commands
	return l, nil
}

// receive passes on messages until the console is gone, and tells the interpreter which scripts
// it will be asked to evaluate and when to stop. When the console is gone, nothing waits for
// the rest of a script, so the process exits in the middle of it.
func (l *link) receive(t *interpreter) {
	for {
		var m message
		if err := l.in.Decode(&m); err != nil {
			os.Exit(1)
		}
		switch m.Type {
		case "reply", "print":
			l.replies <- m
		case "cancel":
			t.cancel()
		case "close":
			close(l.requests)
		case "eval", "file", "puts":
			t.expect()
			l.requests <- m
		default:
			l.requests <- m
		}
	}
}

func (l *link) send(m message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Encode(m); err != nil {
		return fmt.Errorf("write to the console: %w", err)
	}
	return nil
}

// call has the console do a command and waits for what it returns. Unless it is
// nil, print is called with what the command prints.
func (l *link) call(name string, args []string, print func(text string)) (message, error) {
	folder, err := os.Getwd()
	if err != nil {
		return message{}, fmt.Errorf("find the working folder: %w", err)
	}
	if err := l.send(message{Type: "call", Name: name, Args: args, Folder: folder, Divert: print != nil}); err != nil {
		return message{}, err
	}
	for {
		m := <-l.replies
		if m.Type == "reply" {
			return m, nil
		}
		print(m.Result)
	}
}
