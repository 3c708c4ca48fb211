package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"sledge/internal/hammerdb/scripts"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/privatefile"
	"sledge/internal/workload"
)

// script holds the settings that a driver script adds to the dictionary: none after loadscript,
// those of the file after customscript.
type script struct {
	loaded    bool
	refused   string        // the file that could not be loaded; kept until another one is loaded or the script is cleared
	values    option.Values // the options that the file sets
	monitored bool          // whether virtual user 1 monitors and times the run
}

// scriptCommands are the commands of driver scripts.
func scriptCommands() []command {
	return []command{
		{
			name: "loadscript", usage: "loadscript",
			help: "Loads the driver script, which says what virtual users do with the current settings.",
			run:  loadscript,
		},
		{
			name: "clearscript", usage: "clearscript",
			help: "Clears the driver script.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				c.script = script{}
				c.out.print("Script cleared")
				return "", nil
			},
		},
		{
			name: "savescript", usage: "savescript scriptname.tcl",
			help:  "Saves the driver script as a short file to edit: mix, keying and thinking times, iterations. A bare name goes to the temporary folder.",
			takes: 1, run: savescript,
		},
		{
			name: "customscript", usage: "customscript scriptname.tcl",
			help:  "Loads a driver script that savescript wrote and you may have edited. It also takes over a script that HammerDB saved, if it understands all of it.",
			takes: 1, run: customscript,
		},
		{
			name: "custommonitor", usage: "custommonitor [test|timed]",
			help:  "Decides whether a custom script has one more virtual user, which monitors and times the run.",
			takes: varies, run: custommonitor,
		},
		{
			name: "distributescript", usage: "distributescript",
			help:  "Distributes the script to replicas, which Sledge does not have yet.",
			takes: varies,
			run: func(*Console, context.Context, Call) (string, error) {
				return "", fail("Error: Cannot distribute script if not in Primary mode")
			},
		},
	}
}

func loadscript(c *Console, _ context.Context, _ Call) (string, error) {
	c.loadScript()
	return "", nil
}

func (c *Console) loadScript() {
	b := c.book.Benchmark()
	if b.Queries {
		c.out.printf("%s Driver Script", b.Title)
	}
	timed := !c.workload().Users.Finite && c.book.Value(b.Driver) != "test"
	c.script = script{loaded: true, monitored: timed}
	c.out.print(`Script loaded, Type "print script" to view`)
}

// clearScript drops the loaded script. A refused script stays refused until the user loads another
// one or clears it.
func (c *Console) clearScript() { c.script = script{refused: c.script.refused} }

// requireScript loads the script if none is loaded, as HammerDB does. If the user asked for a
// script that could not be loaded, it fails, because the run would test something else.
func (c *Console) requireScript() error {
	if c.script.refused != "" {
		return fail("Error: %s was not loaded, so there is no script to run: load another with customscript, or use the settings with loadscript", c.script.refused)
	}
	if !c.script.loaded {
		c.loadScript()
	}
	return nil
}

// workload returns the workload of the current benchmark.
func (c *Console) workload() *workload.Workload { return c.book.Benchmark().Meant }

// scriptText returns the text of the loaded driver script.
func (c *Console) scriptText() (string, error) {
	if !c.script.loaded {
		return "", fail("No Script loaded: Load with loadscript")
	}
	return scripts.Text(c.book.Database(), c.workload(), c.runSpec().Options), nil
}

// maxScript is the size limit of a driver script, in bytes. HammerDB's scripts have about 30 KB.
const maxScript = 4 << 20

func savescript(c *Console, _ context.Context, call Call) (string, error) {
	if call.Args[0] == "" {
		return "", usageError(call.Name)
	}
	if !c.script.loaded {
		return "", fail("Error: No script loaded to save, use loadscript to load")
	}
	name := call.Args[0]
	if last := len(name) - 1; os.IsPathSeparator(name[last]) || strings.TrimSuffix(filepath.Base(name), ".tcl") == "" {
		return "", fail("Error: %s names no file: add the script's name, such as %s", name, filepath.Join(filepath.Dir(name), "script.tcl"))
	}
	if filepath.Ext(name) != ".tcl" {
		name += ".tcl"
	}
	path, write := filepath.Join(TempDir(c.Environ), name), writeOurs
	if filepath.Base(name) != name { // a path of the user's choice, which may be a link
		path = inFolder(call.Folder, name)
		write = func(path, text string, mode os.FileMode) error { return os.WriteFile(path, []byte(text), mode) }
	}
	text, err := c.scriptText()
	if err != nil {
		return "", err
	}
	if err := write(path, text, 0o644); err != nil {
		if errors.As(err, new(notOursError)) {
			return "", failWith(job.ExitError, "Error: %v", err)
		}
		return "", failWith(job.ExitError, "Error: directory %s not writable to write %s for savescript", filepath.Dir(path), filepath.Base(path))
	}
	c.out.printf("Success ... wrote script to %s", path)
	return "", nil
}

// inFolder resolves path in the interpreter's working folder.
func inFolder(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

func customscript(c *Console, _ context.Context, call Call) (string, error) {
	name := call.Args[0]
	if filepath.Ext(name) != ".tcl" {
		c.script = script{refused: cmp.Or(name, "the script")}
		return "", usageError(call.Name)
	}
	read, err := c.readCustom(inFolder(call.Folder, name), name)
	if err != nil {
		c.script = script{refused: name}
		return "", err
	}
	c.script = script{loaded: true, values: read.Values, monitored: read.Timed}
	for _, note := range read.Notes {
		c.out.print(note)
	}
	if path := inFolder(call.Folder, name); read.Secret && privatefile.Exposed(path) {
		c.out.printf("Warning: others can read %s, which holds a password: chmod 600 %s", path, path)
	}
	c.out.printf("Loaded %s", name)
	return "", nil
}

// readCustom reads a driver script, and checks that it can run.
func (c *Console) readCustom(path, name string) (scripts.Script, error) {
	text, err := readScript(path)
	if err != nil {
		return scripts.Script{}, failWith(job.ExitMissing, "Error: cannot read %s: %v", name, err)
	}
	read, err := scripts.Parse(text, c.book.Database(), c.workload())
	if err != nil {
		return scripts.Script{}, fail("Error: %s: %v", name, err)
	}
	spec := c.spec(job.Check) // a check accepts settings of unsupported features; binding the run refuses them
	maps.Copy(spec.Options, read.Values)
	if _, err := c.Resolver.Order(spec); err != nil {
		return scripts.Script{}, fail("Error: %s: %v", name, err)
	}
	return read, nil
}

func readScript(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", errors.Unwrap(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", fmt.Errorf("this is not a driver script, which is a regular file of at most %d MB", maxScript>>20)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

func custommonitor(c *Console, _ context.Context, call Call) (string, error) {
	how := strings.Join(call.Args, " ")
	if c.workload().Users.Finite && how == "timed" {
		return "", fail("Error: custommonitor timed: a run of %s ends when its work is done, and no Virtual User monitors it: leave the command out", c.book.Benchmark().Title)
	}
	switch how {
	case "timed":
		c.script.monitored = true
		c.drive("timed")
		c.out.print("Monitor Virtual User enabled for customscript")
	case "test":
		c.script.monitored = false
		c.drive("test")
		c.out.print("Monitor Virtual User disabled for custom script")
	default:
		return "", usageError(call.Name)
	}
	return "", nil
}

// drive lets the script decide whether the run is timed, if the workload allows timed runs.
func (c *Console) drive(how string) {
	if c.workload().Users.Finite {
		return
	}
	values := c.script.values.Clone()
	values[c.book.Benchmark().Driver] = how
	c.script.values = values
}
