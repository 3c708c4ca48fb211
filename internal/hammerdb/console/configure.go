package console

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/option"
	"sledge/internal/privatefile"
)

func configureCommands() []command {
	return []command{
		{
			name: "dbset", usage: "dbset [db|bm] value", takes: 2, run: dbset,
			help: "Chooses the database by its prefix (dbset db pg), or the benchmark (dbset bm TPROC-C).",
		},
		{
			name: "diset", usage: "diset dict key value", takes: varies, run: diset,
			help: "Sets a key of the chosen database, after checking the value, and keeps it for the next start. print dict shows the dictionaries and keys.",
		},
		{
			name: "giset", usage: "giset dict key value", takes: varies, run: giset,
			help: "Sets a key of the generic dictionary, after checking the value, and keeps it for the next start. print generic shows the dictionaries and keys.",
		},
		{
			name: "vuset", usage: "vuset [vu|delay|repeat|iterations|showoutput|logtotemp|unique|nobuff|timestamps] value", takes: 2, run: vuset,
			help: "Configures the virtual users: how many (vcpu means one per processor), the delays between them and between iterations in milliseconds, and where their output goes.",
		},
		{
			name: "tcset", usage: "tcset [refreshrate|logtotemp|unique|timestamps] value", takes: 2, run: tcset,
			help: "Configures the transaction counter: the seconds between two lines, and where they go.",
		},
		{
			name: "importconfig", usage: "importconfig path", takes: 1, run: importConfig,
			help: "Imports settings from a HammerDB file, SQLite or XML, or from a folder of such files. It lists settings that it does not know; if a value is wrong, it changes nothing.",
		},
	}
}

// usageError returns HammerDB's message for a wrong call of that command.
func usageError(name string) error {
	command, ok := find(name)
	if !ok {
		panic("console: there is no command " + name)
	}
	return command.usageError()
}

// invalidOption returns HammerDB's message for a first argument that a command does not know.
func invalidOption(name, word string, known []string) error {
	hint := ""
	if nearest := option.Nearest(word, known); nearest != "" {
		hint = ", did you mean " + nearest + "?"
	}
	return fail("Error: invalid option%s\n%v", hint, usageError(name))
}

func dbset(c *Console, _ context.Context, call Call) (string, error) {
	value := call.Args[1]
	switch call.Args[0] {
	case "db":
		if err := c.book.SetDatabase(value); err != nil {
			return "", fail("%v", err)
		}
		c.clearScript()
		c.out.printf("Database set to %s", dictionaries.NameOf(c.book.Database()))
	case "bm":
		if err := c.book.SetBenchmark(value); err != nil {
			return "", fail("%v", err)
		}
		c.clearScript()
		c.out.printf("Benchmark set to %s for %s", strings.ToUpper(value), dictionaries.NameOf(c.book.Database()))
	default:
		return "", invalidOption(call.Name, call.Args[0], []string{"db", "bm"})
	}
	return "", nil
}

func diset(c *Console, _ context.Context, call Call) (string, error) {
	called := dictionaries.NameOf(c.book.Database())
	if len(call.Args) != 3 {
		return "", fail("Error: Invalid number of arguments\n%v\nType \"print dict\" for valid dictionaries and keys for %s", usageError(call.Name), called)
	}
	dict, key, value := call.Args[0], call.Args[1], call.Args[2]
	change, err := c.book.Set(dict, key, value)
	if err != nil {
		return "", c.explain(call.Name, err)
	}
	if c.isDriver(key) {
		c.script = script{}
		c.out.print("Clearing Script, reload script to activate new setting\nScript cleared")
	}
	c.out.print(change.String())
	if change.Secret && !c.warned && privatefile.Exposed(c.Script) {
		c.warned = true
		c.out.printf("Warning: others can read %s, which holds a password: chmod 600 %s", c.Script, c.Script)
	}
	return "", nil
}

// isDriver reports whether a key chooses the driver, on which the script depends.
func (c *Console) isDriver(key string) bool {
	return key == c.book.Key(c.book.Benchmark().Driver)
}

func giset(c *Console, _ context.Context, call Call) (string, error) {
	const hint = "Type \"print generic\" for valid dictionaries and keys"
	if len(call.Args) != 3 {
		return "", fail("Error: Invalid number of arguments\n%v\n%s", usageError(call.Name), hint)
	}
	change, err := c.book.SetGeneric(call.Args[0], call.Args[1], call.Args[2])
	if _, unknown := errors.AsType[*dictionaries.UnknownKeyError](err); unknown {
		return "", fail("%v\n%s", err, hint)
	}
	if err != nil {
		return "", c.explain(call.Name, err)
	}
	c.out.print(change.String())
	return "", nil
}

// explain turns an error of the dictionary into console output. Setting a value that is already set
// is not a failure, because scripts set defaults.
func (c *Console) explain(command string, err error) error {
	if same, ok := errors.AsType[*dictionaries.SameValueError](err); ok {
		c.out.print(same.Error())
		return nil
	}
	if unknown, ok := errors.AsType[*dictionaries.UnknownDictError](err); ok {
		return fail("%v\n%v", usageError(command), unknown)
	}
	if wrong, ok := errors.AsType[*dictionaries.ValueError](err); ok {
		if c.isDriver(wrong.Key) {
			return fail(`Error: Driver script must be either "test" or "timed"`)
		}
		return fail("Error: %v", wrong)
	}
	return fail("%v", err)
}

// Sections of the generic dictionary that have their own commands.
const (
	virtualUserSection = "virtual_user_options"
	counterSection     = "transaction_counter"
)

// vuOption is a word of vuset.
type vuOption struct {
	word, key, title string
	least            int // the smallest value, unless isFlag
	isFlag           bool
}

var vuOptions = []vuOption{
	{word: "vu", key: "virtual_users", title: "The number of virtual users", least: 1},
	{word: "delay", key: "user_delay", title: "User Delay(ms)"},
	{word: "repeat", key: "repeat_delay", title: "Repeat Delay(ms)"},
	{word: "iterations", key: "iterations", title: "Iterations", least: 1},
	{word: "showoutput", key: "show_output", title: "Show Output", isFlag: true},
	{word: "logtotemp", key: "log_to_temp", title: "Log Output", isFlag: true},
	{word: "unique", key: "unique_log_name", title: "Unique Log Name", isFlag: true},
	{word: "nobuff", key: "no_log_buffer", title: "No Log Buffer", isFlag: true},
	{word: "timestamps", key: "log_timestamps", title: "Log timestamps", isFlag: true},
}

// vuset prints nothing if it succeeds, as in HammerDB. HammerDB replaces a wrong value by the
// default; Sledge leaves the setting unchanged.
func vuset(c *Console, _ context.Context, call Call) (string, error) {
	word, value := call.Args[0], call.Args[1]
	var words []string
	for _, o := range vuOptions {
		if o.word == word {
			return "", c.setVirtualUsers(o, value)
		}
		words = append(words, o.word)
	}
	return "", invalidOption(call.Name, word, words)
}

func (c *Console) setVirtualUsers(o vuOption, value string) error {
	if c.users.exist() {
		return fail("Error: Virtual Users exist, destroy with vudestroy before changing settings")
	}
	if o.word == "vu" && value == "vcpu" {
		value = strconv.Itoa(runtime.NumCPU())
	}
	if err := o.check(value); err != nil {
		return err
	}
	if err := c.setGeneric(virtualUserSection, o.key, value); err != nil {
		return c.explain("vuset", err)
	}
	return nil
}

// setGeneric changes a setting of the console itself. Setting the current value is not an error,
// for commands that print nothing then.
func (c *Console) setGeneric(section, key, value string) error {
	_, err := c.book.SetGeneric(section, key, value)
	if _, same := errors.AsType[*dictionaries.SameValueError](err); same {
		return nil
	}
	return err
}

// check refuses a value with HammerDB's message.
func (o vuOption) check(value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case o.isFlag && (err != nil || n != 0 && n != 1):
		return fail("%s must be 0 or 1", o.title)
	case errors.Is(err, strconv.ErrSyntax):
		return fail("%s must be an integer", o.title)
	case n < o.least:
		return fail("%s must be %d or greater", o.title, o.least)
	}
	return nil
}

// tcOptions are the arguments of tcset, their keys, and their output.
var tcOptions = []struct{ word, key, title string }{
	{"refreshrate", "tc_refresh_rate", "refresh rate"},
	{"logtotemp", "tc_log_to_temp", "log to temp"},
	{"unique", "tc_unique_log_name", "unique log name"},
	{"timestamps", "tc_log_timestamps", "timestamps"},
}

func tcset(c *Console, _ context.Context, call Call) (string, error) {
	word, value := call.Args[0], call.Args[1]
	var words []string
	for _, o := range tcOptions {
		words = append(words, o.word)
		if o.word != word {
			continue
		}
		err := c.setGeneric(counterSection, o.key, value)
		if _, wrong := errors.AsType[*dictionaries.ValueError](err); wrong {
			if word == "refreshrate" {
				return "", fail("Refresh rate must be more than 0 secs and less than 60 secs")
			}
			return "", fail("Transaction Counter %s must be 0 or 1", o.title)
		}
		if err != nil {
			return "", c.explain(call.Name, err)
		}
		c.out.printf("Transaction Counter %s set to %s", o.title, c.book.Generic(counterSection, o.key))
		return "", nil
	}
	return "", invalidOption(call.Name, word, words)
}

func importConfig(c *Console, _ context.Context, call Call) (string, error) {
	path := inFolder(call.Folder, call.Args[0])
	done, err := c.book.ImportConfig(path)
	if err != nil {
		return "", fail("Error: %v", err)
	}
	var lines []string
	for _, change := range done.Changes {
		lines = append(lines, change.String())
	}
	for _, passed := range done.Passed {
		lines = append(lines, "Skipped "+passed)
	}
	lines = append(lines, fmt.Sprintf("Imported %s: %d settings changed, %d unchanged, %d lines skipped",
		path, len(done.Changes), done.Same, len(done.Passed)))
	c.out.print(strings.Join(lines, "\n"))
	return "", nil
}
