// Package sysbench has the command line of sysbench, the load tester by scripts: its options, its reports and the
// workloads that it brings (sysbench's manual). Runs are those of Sledge; only this package and its command know that
// sysbench's command line exists.
package sysbench

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"sledge/internal/option"
	"sledge/internal/workload/script/sysbench"
)

// Arguments are the arguments of sysbench.
type Arguments struct {
	Test    string // the name or the path of the script; "" without one
	Command string // "" without one
	Given   map[string]string
	Version sysbench.Version

	Warnings          []string // about old names of options
	Help, ShowVersion bool
	AllowUnsafe       bool

	// Sledge's own options.
	DBMS         string   // Sledge's name of the database
	Set          []string // options of Sledge, as name=value
	Repository   string
	NoRepository bool
}

// renamed are old names of options.
var renamed = map[string]string{"num_threads": "threads", "max_requests": "events", "max_time": "time", "tx_rate": "rate"}

// Flags returns the options, for help.
func Flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("sysbench", pflag.ContinueOnError)
	f.SortFlags = false
	for _, o := range sysbench.General(sysbench.Version10) {
		f.String(strings.ReplaceAll(o.Name, "_", "-"), o.Default, o.Help)
	}
	f.String("config-file", "", "read options from a file, a name=value in each line")
	f.String("sysbench-version", string(sysbench.Version10), "whose defaults and texts: 1.0 or 1.1")
	f.Bool("allow-unsafe", false, "let scripts use files and start programs")
	f.String("db", "", "database by Sledge's name: postgresql, mysql, mariadb, sqlite (default that of --db-driver)")
	f.StringArray("set", nil, "set an option of Sledge, as `NAME=VALUE`")
	f.String("repo", "", "job repository of Sledge")
	f.Bool("no-repo", false, "do not record the run")
	return f
}

// Read reads arguments. Options of scripts are not checked yet.
func Read(args []string) (a Arguments, err error) {
	a.Given, a.Version = map[string]string{}, sysbench.Version10
	if err := a.read(args); err != nil {
		return a, err
	}
	if a.Version != sysbench.Version10 && a.Version != sysbench.Version11 {
		return a, fmt.Errorf("--sysbench-version=%s: it must be 1.0 or 1.1", a.Version)
	}
	if a.Version == sysbench.Version11 && len(a.Warnings) > 0 {
		return a, fmt.Errorf("sysbench 1.1 has no old names of options: %s", strings.TrimPrefix(a.Warnings[0], "WARNING: "))
	}
	return a, a.chooseDatabase()
}

// read reads arguments, or the lines of a file of options.
func (a *Arguments) read(args []string) error {
	for _, arg := range args {
		body, isOption := strings.CutPrefix(arg, "--")
		if !isOption {
			switch {
			case strings.HasPrefix(arg, "-") && len(arg) > 1:
				return fmt.Errorf("%q is not an option: options are written --name=value", arg)
			case a.Test == "":
				a.Test = arg
			case a.Command == "":
				a.Command = arg
			default:
				return fmt.Errorf("%q comes after the command %q: options are written --name=value, with an equals sign", arg, a.Command)
			}
			continue
		}
		name, value, _ := strings.Cut(body, "=")
		if err := a.take(sysbench.Canonical(name), value); err != nil {
			return err
		}
	}
	return nil
}

// take takes an option.
func (a *Arguments) take(name, value string) error {
	isOn := func() (on bool, err error) {
		v, err := sysbench.Value(sysbench.Option{Name: name, Kind: sysbench.Bool}, value)
		on, _ = v.(bool)
		return on, err
	}
	var err error
	switch name {
	case "help":
		a.Help, err = isOn()
	case "version":
		a.ShowVersion, err = isOn()
	case "allow_unsafe":
		a.AllowUnsafe, err = isOn()
	case "no_repo":
		a.NoRepository, err = isOn()
	case "repo":
		a.Repository = value
	case "db":
		a.DBMS = value
	case "set":
		a.Set = append(a.Set, value)
	case "sysbench_version":
		a.Version = sysbench.Version(value)
	case "test":
		if a.Test != "" { // the word before was the command
			a.Command = a.Test
		}
		a.Test = value
	case "config_file":
		return a.readFile(value)
	default:
		if now, is := renamed[name]; is {
			a.Warnings = append(a.Warnings, fmt.Sprintf("WARNING: --%s is deprecated, use --%s instead", strings.ReplaceAll(name, "_", "-"), now))
			name = now
		}
		a.Given[name] = value
	}
	return err
}

// readFile reads a file of options. Later options win.
func (a *Arguments) readFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("--config-file: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, _ := strings.Cut(strings.TrimLeft(line, "-"), "=")
		if err := a.take(sysbench.Canonical(strings.TrimSpace(key)), strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	return lines.Err()
}

// drivers are Sledge's names of databases by those of sysbench.
var drivers = map[string]string{"mysql": "mysql", "pgsql": "postgresql", "": "mysql"}

// chooseDatabase finds the database.
func (a *Arguments) chooseDatabase() error {
	driver := a.Given["db_driver"]
	of, known := drivers[driver]
	if a.DBMS == "" {
		if !known {
			return fmt.Errorf("--db-driver=%s: it must be mysql or pgsql; or name another database with --db%s", driver, option.Suggest(driver, []string{"mysql", "pgsql"}))
		}
		a.DBMS = of
	}
	return nil
}

// prefix returns the beginning of the options of the connection.
func (a *Arguments) prefix() string {
	if a.DBMS == "postgresql" {
		return "pgsql_"
	}
	return "mysql_"
}

// value returns the text of an option, or its default.
func (a *Arguments) value(name string) string {
	if v, is := a.Given[name]; is {
		return v
	}
	for _, o := range sysbench.General(a.Version) {
		if o.Name == name {
			return o.Default
		}
	}
	return ""
}

// Number returns the value of a general option that is a number.
func (a *Arguments) Number(name string) float64 {
	n, _ := strconv.ParseFloat(a.value(name), 64) // it was checked
	return n
}

// IsOn returns the value of a general option that is on or off.
func (a *Arguments) IsOn(name string) bool {
	v, _ := sysbench.Value(sysbench.Option{Kind: sysbench.Bool}, a.value(name))
	on, _ := v.(bool)
	return on
}

// Checkpoints returns the seconds at which everything is reported, in order.
func (a *Arguments) Checkpoints() (list []float64, err error) {
	for part := range strings.SplitSeq(a.value("report_checkpoints"), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n > 0) {
			return nil, fmt.Errorf("--report-checkpoints=%s: %q is not a number of seconds", a.value("report_checkpoints"), part)
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return list, nil
}

// Connection returns the options of Sledge that the options of the connection stand for. Options that are not given
// have sysbench's defaults.
func (a *Arguments) Connection() (set []string) {
	if a.DBMS == "sqlite" || a.DBMS == "duckdb" {
		if file := a.Given["mysql_db"]; file != "" {
			set = append(set, "file="+file)
		}
		return set
	}
	p := a.prefix()
	names := map[string]string{"host": "host", "port": "port", "user": "user", "db": "dbname", "password": "password"}
	if a.DBMS == "postgresql" {
		set = append(set, "no_superuser=true")
		names["sslmode"] = "ssl_mode"
	} else {
		names["socket"] = "socket"
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if v := a.value(p + name); v != "" {
			set = append(set, names[name]+"="+v)
		}
	}
	if ssl := a.Given["mysql_ssl"]; a.DBMS != "postgresql" && ssl != "" && !strings.EqualFold(ssl, "off") && !strings.EqualFold(ssl, "disabled") {
		set = append(set, "ssl=true")
	}
	return set
}

// elsewhere are the tests of sysbench that do not use a database.
var elsewhere = []string{"fileio", "cpu", "memory", "threads", "mutex"}

// Script finds the script, and returns it ready to be executed. Its path is as it was given.
func (a *Arguments) Script() (p *sysbench.Program, err error) {
	switch {
	case a.Test == "":
		return nil, fmt.Errorf("no test is named: name one of %s, or a script in Lua (sledge sysbench --help)", strings.Join(sysbench.Bundled(), ", "))
	case slices.Contains(elsewhere, a.Test):
		return nil, fmt.Errorf("the test %s does not use a database: Sledge has only those that do", a.Test)
	}
	name := a.Test
	text, err := os.ReadFile(name)
	if err != nil && filepath.Ext(name) != ".lua" {
		name += ".lua"
		text, err = os.ReadFile(name)
	}
	folder := filepath.Dir(name)
	main := option.NameOfFile(name) + ".lua"
	if err != nil {
		own, is := sysbench.BundledText(filepath.Base(name))
		if !is || filepath.Dir(a.Test) != "." {
			if errors.Is(err, os.ErrNotExist) {
				return nil, fmt.Errorf("there is no test or script %q%s", a.Test, option.Suggest(a.Test, sysbench.Bundled()))
			}
			return nil, err
		}
		text = []byte(own)
	}
	return sysbench.NewProgram(main, map[string]string{main: string(text)}, func(file string) (string, bool) { return read(folder, file) })
}

// mostBytes is how long a file of a script may be.
const mostBytes = 4 << 20

// read reads a file that a script loads: from its folder, or from the folders where Lua keeps modules.
func read(folder, file string) (string, bool) {
	home, _ := os.UserHomeDir()
	for _, in := range []string{
		folder, filepath.Join(folder, "src", "lua"), filepath.Join(home, ".luarocks", "share", "lua", "5.1"), filepath.Join(home, ".luarocks", "share", "lua"),
		"/usr/local/share/lua/5.1", "/usr/share/lua/5.1",
	} {
		path := filepath.Join(in, filepath.FromSlash(file))
		if within, err := filepath.Rel(in, path); err != nil || strings.HasPrefix(within, "..") {
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			return string(text), true
		}
	}
	return "", false
}

// Folder returns the run's workload as the files of a folder.
func (a *Arguments) Folder(p *sysbench.Program, threads int) map[string]string {
	var b strings.Builder
	name := strings.TrimSuffix(p.Main, ".lua")
	fmt.Fprintf(&b, "title = %q\n\n[variables]\n", "sysbench "+filepath.Base(a.Test))
	all := map[string]string{"sysbench_version": string(a.Version), "script_path": a.Test, "threads": strconv.Itoa(threads)}
	for name, text := range a.Given {
		if !sysbench.Secret(name) {
			all[name] = text
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%q = %q\n", key, all[key])
	}
	fmt.Fprintf(&b, "\n[transactions.%s]\nlanguage = \"sysbench\"\non_error = \"stop\"\n", name)
	files := map[string]string{"workload.toml": b.String()}
	maps.Copy(files, p.Files)
	return files
}

// VersionLine is the first line of every output. own is the version of this program.
func (a *Arguments) VersionLine(own string) string {
	return fmt.Sprintf("sysbench %s (Sledge %s)", a.Version.Text(), own)
}
