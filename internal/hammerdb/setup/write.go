// Package setup writes set-ups as scripts of the console, in Tcl and Python, and reads such
// scripts. It does not run them: it reads plain commands and lists the lines that it skipped.
package setup

import (
	"cmp"
	"fmt"
	"strings"

	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// commands are the console's commands for actions.
var commands = map[job.Action]string{job.Build: "buildschema", job.Check: "checkschema", job.Delete: "deleteschema"}

// language is the syntax of a script.
type language struct {
	head     string // "" or a line
	command  func(name string, args ...string) string
	quote    func(text string) string
	variable func(name string) string // returns the expression for an environment variable
	each     func(numbers []string, body func(number, indent string) string) string
	comment  string
}

// Tcl returns an order as a Tcl script of the console. The script reads passwords from the
// environment.
func Tcl(o settings.Order) string {
	return write(o, language{
		command: func(name string, args ...string) string { return strings.Join(append([]string{name}, args...), " ") },
		quote:   tclWord, comment: "# ",
		variable: func(name string) string { return "$::env(" + name + ")" },
		each: func(numbers []string, body func(number, indent string) string) string {
			return "foreach users {" + strings.Join(numbers, " ") + "} {\n" + body("$users", "    ") + "}\n"
		},
	})
}

// Python returns an order as a Python script of the console.
func Python(o settings.Order) string {
	return write(o, language{
		head:    "import os",
		command: func(name string, args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" },
		quote:   pythonString, comment: "# ",
		variable: func(name string) string { return "os.environ['" + name + "']" },
		each: func(numbers []string, body func(number, indent string) string) string {
			return "for users in [" + strings.Join(numbers, ", ") + "]:\n" + body("users", "    ")
		},
	})
}

func write(o settings.Order, l language) string {
	var b strings.Builder
	line := func(text string) { b.WriteString(text + "\n") }
	pair := o.Plan.Pair
	if o.Spec.Files != nil {
		line(l.comment + "Scripts cannot name a workload of your own: use the command line or a configuration file.")
		return b.String()
	}
	benchmark := names.BenchmarkOf(pair.Workload)
	said := o.Said()
	secret := false
	for _, s := range said {
		secret = secret || s.Secret
	}
	if secret && l.head != "" {
		line(l.head)
	}
	if secret {
		line(l.comment + "Passwords are not shown: set the environment variables that are named below.")
	}
	line(l.command("dbset", l.quote("db"), l.quote(names.Of(pair.Database.Name).Prefix)))
	line(l.command("dbset", l.quote("bm"), l.quote(benchmark.Title)))
	for _, s := range withOwnDefaults(said, o) {
		if s.Unlisted {
			line(fmt.Sprintf("%sThe option %s=%s is not set: scripts have no command for it.", l.comment, s.Name, s.Value))
			continue
		}
		value := l.quote(s.Value)
		if s.Secret {
			value = l.variable(s.Variable())
		}
		line(l.command("diset", l.quote(cmp.Or(s.Section, benchmark.Section)), l.quote(s.Key), value))
	}
	if o.Spec.Seed != 1 {
		line(fmt.Sprintf("%sThe seed %d is not set: scripts have no command for it, and their seed is 1.", l.comment, o.Spec.Seed))
	}
	if name, is := commands[o.Spec.Action]; is {
		if o.Spec.Resume {
			line(l.command(name, l.quote("resume")))
		} else {
			line(l.command(name))
		}
		return b.String()
	}
	line(l.command("loadscript"))
	run := func(number, indent string) string {
		return indent + l.command("vuset", l.quote("vu"), number) + "\n" +
			indent + l.command("vucreate") + "\n" + indent + l.command("vurun") + "\n" + indent + l.command("vudestroy") + "\n"
	}
	var numbers []string
	for _, n := range o.Counts {
		numbers = append(numbers, fmt.Sprint(n))
	}
	if len(numbers) == 1 {
		b.WriteString(run(numbers[0], ""))
	} else {
		b.WriteString(l.each(numbers, run))
	}
	return b.String()
}

// withOwnDefaults adds settings that are not set and whose defaults differ in HammerDB, because a
// script starts with HammerDB's defaults.
func withOwnDefaults(said []settings.Said, o settings.Order) (list []settings.Said) {
	set := map[string]settings.Said{}
	for _, s := range said {
		set[s.Name] = s
	}
	for _, d := range option.Built(o.Plan.Options()) {
		s, is := set[d.Name]
		if !is && names.Default(o.Spec.Database, o.Spec.Workload, d.Name, d.Default) != d.Default {
			s, is = settings.Said{Description: d, Key: settings.Key(o.Plan.Pair, d), Value: d.Default}, true
		}
		if is {
			list = append(list, s)
		}
	}
	return list
}

// tclWord returns text as one word that Tcl does not evaluate.
func tclWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\r\n\"\\$[]{};#") {
		return text
	}
	if !strings.ContainsAny(text, "{}\\") {
		return "{" + text + "}"
	}
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\n':
			b.WriteString(`\n`)
			continue
		case '\r':
			b.WriteString(`\r`)
			continue
		}
		if strings.ContainsRune(" \t\"\\$[]{};#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// pythonString returns text as a Python string literal.
func pythonString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}
