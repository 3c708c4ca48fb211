package program

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/job"
	"sledge/internal/option"
)

// Usage returns an error about the arguments.
func Usage(format string, args ...any) error {
	return job.WithExit(job.ExitUsage, fmt.Errorf(format, args...))
}

// The groups of commands in help.
const (
	GroupJobs    = "jobs"
	GroupResults = "results"
	GroupOthers  = "others"
)

// OnlyCommands refuses an argument that is not a command, and suggests a similar one.
func OnlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return Usage("unknown command %s %q%s (%s --help lists the commands)", c.CommandPath(), args[0], option.Suggest(args[0], names), c.CommandPath())
}

// NoArguments refuses arguments of a command that takes only flags. The error does not repeat them,
// because an argument may be a password whose flag was forgotten.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usage("%s takes only flags: choose the database with --db, set options with --set name=value (see %s --help)",
		c.CommandPath(), c.CommandPath())
}

// Section is the annotation of a flag that names its section in help.
const Section = "section"

// Sections of flags beside the groups of options.
const (
	SectionFlags    = "flags" // of flags without an annotation
	SectionMain     = "main"
	SectionSettings = "settings"
	SectionOutput   = "output"
	SectionRecord   = "record"
	SectionOthers   = "others"
)

// PutInSection annotates the flags that exist among names, so that help lists them in a section.
func PutInSection(flags *pflag.FlagSet, section string, names ...string) {
	for _, name := range names {
		if f := flags.Lookup(name); f != nil {
			f.Annotations = map[string][]string{Section: {section}}
		}
	}
}

// Examples indents example commands for help. An empty line separates two of them.
func Examples(lines ...string) string {
	return strings.ReplaceAll("  "+strings.Join(lines, "\n  "), "  \n", "\n")
}
