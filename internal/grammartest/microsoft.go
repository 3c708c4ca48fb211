package grammartest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Microsoft is the T-SQL parser of Microsoft's editors. It is part of Microsoft's SQL tools
// service, a language server that needs no SQL Server.
func Microsoft(t testing.TB, statements []Statement) []Problem {
	t.Helper()
	folder := installed(t, "sqltools")
	service := languageServer{t: t}
	defer service.end()
	service.begin(folder)
	// All statements form one text, divided into batches as in sqlcmd. The last batch is invalid on
	// purpose: its error proves that the parser has reached the end.
	var text strings.Builder
	var begins []int // the line of each statement
	line := 0
	for _, s := range append(statements, Statement{Text: "SELECT FROM WHERE"}) {
		begins = append(begins, line)
		line += strings.Count(s.Text, "\n") + 2
		text.WriteString(s.Text + "\nGO\n")
	}
	last := len(statements)
	var problems []Problem
	proven := false
	for _, d := range service.diagnose(text.String()) {
		number := 0
		for number < last && d.Range.Start.Line >= begins[number+1] {
			number++
		}
		if number == last {
			proven = true
			continue
		}
		problems = append(problems, Problem{statements[number], d.Range.Start.Line - begins[number] + 1, d.Message})
	}
	if !proven {
		t.Fatal("the parser reports no problem with SELECT FROM WHERE, so it may not have read the rest")
	}
	return problems
}

// diagnostic is a problem that the service reports. Its lines count from 0.
type diagnostic struct {
	Range struct {
		Start struct{ Line int }
	}
	Message string
}

// languageServer speaks the Language Server Protocol to the service.
type languageServer struct {
	t        testing.TB
	process  *exec.Cmd
	requests io.WriteCloser
	answers  *bufio.Reader
}

func (l *languageServer) begin(folder string) {
	l.t.Helper()
	l.process = exec.CommandContext(l.t.Context(), filepath.Join(folder, "bin", "MicrosoftSqlToolsServiceLayer"), "--log-file", filepath.Join(l.t.TempDir(), "log"))
	l.process.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1", "COMPlus_EnableDiagnostics=0", "LD_LIBRARY_PATH="+filepath.Join(folder, "lib"))
	answers, err := l.process.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if l.requests, err = l.process.StdinPipe(); err != nil {
		l.t.Fatal(err)
	}
	if err := l.process.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.answers = bufio.NewReader(answers)
	l.send(map[string]any{"id": "1", "method": "initialize", "params": map[string]any{"capabilities": map[string]any{}}})
}

func (l *languageServer) end() {
	if l.process.Process != nil {
		_ = l.process.Process.Kill()
		_ = l.process.Wait()
	}
}

func (l *languageServer) send(message map[string]any) {
	l.t.Helper()
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Fprintf(l.requests, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		l.t.Fatalf("ask Microsoft's SQL tools service: %v", err)
	}
}

// diagnose returns the problems that the service reports for a text.
func (l *languageServer) diagnose(text string) []diagnostic {
	l.t.Helper()
	patience := time.AfterFunc(2*time.Minute, func() { _ = l.process.Process.Kill() })
	defer patience.Stop()
	for {
		header, err := textproto.NewReader(l.answers).ReadMIMEHeader()
		if err != nil {
			l.t.Fatalf("read the output of Microsoft's SQL tools service: %v", err)
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			l.t.Fatalf("Microsoft's SQL tools service sent the header %v", header)
		}
		message := make([]byte, length)
		if _, err := io.ReadFull(l.answers, message); err != nil {
			l.t.Fatal(err)
		}
		var answer struct {
			ID     string
			Method string
			Params struct{ Diagnostics []diagnostic }
		}
		if err := json.Unmarshal(message, &answer); err != nil {
			l.t.Fatal(err)
		}
		switch {
		case answer.ID == "1":
			l.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{
				"textDocument": map[string]any{"uri": "untitled:sledge", "languageId": "SQL", "version": 1, "text": text},
			}})
		case answer.Method == "textDocument/publishDiagnostics":
			return answer.Params.Diagnostics
		}
	}
}
