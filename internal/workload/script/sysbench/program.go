// Package sysbench runs scripts of sysbench, which are written in Lua 5.1: those of its versions 0.5, 1.0 and 1.1
// (sysbench's manual; the names of functions and options are facts of its interface). Scripts run in a cage: they
// load only the files that they came with, and start no programs unless that is allowed.
package sysbench

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// bundled are the scripts of the OLTP workloads, which scripts of users may load, too.
//
//go:embed lua/*.lua
var bundled embed.FS

// Bundled lists the names of the bundled workloads.
func Bundled() (list []string) {
	entries, _ := fs.ReadDir(bundled, "lua") // it is part of the program
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".lua"); name != "oltp_common" {
			list = append(list, name)
		}
	}
	return list
}

// BundledText returns the text of a bundled script.
func BundledText(file string) (string, bool) {
	text, err := bundled.ReadFile("lua/" + file)
	return string(text), err == nil
}

// Program is a script and the files that it loads. It is safe for concurrent use after Parse.
type Program struct {
	Main  string            // the file of the script
	Files map[string]string // by their paths in the folder of the script

	// Disk reads a file that Files lacks; it is called with its path in the folder of the script, or with the path that
	// require makes of the name of a module. Optional. What it returns is added to Files, so a Program with Disk must
	// not be used concurrently.
	Disk func(name string) (text string, found bool)

	compiled map[string]*lua.FunctionProto
}

// Mistake is a mistake in a script.
type Mistake struct {
	File string
	Line int // 0 if it is not known
	Text string
}

// Error names the file and the line.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return fmt.Sprintf("%s: %s", m.File, m.Text)
	}
	return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Text)
}

// NewProgram compiles a script and all files. Its errors are Mistakes.
func NewProgram(main string, files map[string]string, disk func(name string) (string, bool)) (*Program, error) {
	p := &Program{Main: main, Files: maps.Clone(files), Disk: disk, compiled: map[string]*lua.FunctionProto{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".lua" {
			continue
		}
		proto, err := compile(name, files[name])
		if err != nil {
			return nil, err
		}
		p.compiled[name] = proto
	}
	if p.compiled[main] == nil {
		return nil, &Mistake{File: main, Text: "there is no such file"}
	}
	return p, nil
}

// near matches the end of a message of the compiler.
var near = regexp.MustCompile(`(?s)line:(\d+)\(column:\d+\) near '(.*?)':\s*(.*)`)

// compile compiles a file. A first line that begins with # names its interpreter and is left out.
func compile(name, text string) (proto *lua.FunctionProto, err error) {
	defer func() {
		if failure := recover(); failure != nil { // the library's, at source text that it does not expect
			err = &Mistake{File: name, Text: fmt.Sprint("it cannot be compiled: ", failure)}
		}
	}()
	const longest = 4 << 20
	if len(text) > longest {
		return nil, &Mistake{File: name, Text: fmt.Sprintf("it is longer than %d MiB", longest>>20)}
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(text, "#") {
		text = "--" + text
	}
	chunk, err := parse.Parse(strings.NewReader(text), name)
	if err != nil {
		m := &Mistake{File: name, Text: strings.TrimSpace(err.Error())}
		if found := near.FindStringSubmatch(err.Error()); found != nil {
			_, _ = fmt.Sscan(found[1], &m.Line) // it consists of digits
			m.Text = fmt.Sprintf("%s near %q", strings.TrimSpace(found[3]), found[2])
		}
		return nil, m
	}
	var c complexity
	c.see(reflect.ValueOf(chunk), 0)
	if c.mistake != "" {
		return nil, &Mistake{File: name, Line: c.line, Text: c.mistake}
	}
	proto, err = lua.Compile(chunk, name)
	if wrong, is := errors.AsType[*lua.CompileError](err); is {
		return nil, &Mistake{File: name, Line: wrong.Line, Text: wrong.Message}
	}
	if err != nil {
		return nil, &Mistake{File: name, Text: err.Error()}
	}
	return proto, nil
}

// complexity finds what the library would compile for minutes, or until the stack is full: it descends into the syntax
// tree by recursion, and looks constants up one after the other.
type complexity struct {
	constants map[string]bool
	uses      int // of constants
	line      int
	mistake   string
}

// see looks at a part of a syntax tree.
func (c *complexity) see(v reflect.Value, depth int) {
	const deepest, mostCompared = 5000, 500_000_000
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			c.see(v.Elem(), depth)
		}
	case reflect.Pointer:
		if v.IsNil() || c.mistake != "" {
			return
		}
		before := c.line
		if n, is := v.Interface().(ast.PositionHolder); is && n.Line() > 0 {
			c.line = n.Line()
		}
		switch n := v.Interface().(type) {
		case *ast.StringExpr:
			c.use(n.Value)
		case *ast.NumberExpr:
			c.use(n.Value)
		case *ast.IdentExpr:
			c.use(n.Value)
		}
		switch {
		case depth == deepest:
			c.mistake = "it is nested too deeply"
		case c.uses*len(c.constants) > mostCompared:
			c.mistake = "the file has too many different numbers, texts and names: divide it into several files"
		}
		if c.mistake == "" {
			c.see(v.Elem(), depth+1)
		}
		if c.mistake == "" {
			c.line = before
		}
	case reflect.Struct:
		for i := range v.NumField() {
			c.see(v.Field(i), depth)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.see(v.Index(i), depth)
		}
	}
}

func (c *complexity) use(constant string) {
	if c.uses++; c.constants == nil {
		c.constants = map[string]bool{}
	}
	c.constants[constant] = true
}

// errNoFile means that a script loads a file that it did not come with.
var errNoFile = errors.New("no such file among those of the script")

// load returns the compiled file with a name.
func (p *Program) load(name string) (*lua.FunctionProto, error) {
	if proto := p.compiled[name]; proto != nil {
		return proto, nil
	}
	text, found := "", false
	if p.Disk != nil && fs.ValidPath(name) && filepath.IsLocal(name) {
		text, found = p.Disk(name)
	}
	if !found {
		return loadBundled(name)
	}
	proto, err := compile(name, text)
	if err != nil {
		return nil, err
	}
	p.Files[name], p.compiled[name] = text, proto
	return proto, nil
}

// compiledBundle has the bundled files that were compiled, by their names. States share them.
var compiledBundle sync.Map

// loadBundled returns a compiled file of the bundled ones.
func loadBundled(name string) (*lua.FunctionProto, error) {
	if proto, is := compiledBundle.Load(name); is {
		return proto.(*lua.FunctionProto), nil
	}
	text, is := BundledText(name)
	if !is {
		return nil, fmt.Errorf("%s: %w", name, errNoFile)
	}
	proto, err := compile(name, text)
	if err == nil {
		compiledBundle.Store(name, proto)
	}
	return proto, err
}

// pausing matches what makes a script wait for something other than the database, or open more than one connection.
var pausing = regexp.MustCompile(`\bthread_run\b|usleep|\bpoll\b|os\.execute|io\.popen|reconnect\(`)

// Pauses reports whether the script may wait for something other than the database.
func (p *Program) Pauses() bool {
	connects := 0
	for _, text := range p.Files {
		if connects += strings.Count(text, "connect()"); connects > 1 || pausing.MatchString(text) {
			return true
		}
	}
	return false
}
