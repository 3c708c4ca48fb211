package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/hammerdb/dictionaries"
)

func printCommands() []command {
	return []command{{
		name: "print", usage: "print [" + strings.Join(printWords, "|") + "]", takes: 1, run: printSettings,
		help: "Prints the settings of one part: the database, the benchmark, the dictionaries, the virtual users, the transaction counter, the data generation or the script.",
	}}
}

var printWords = []string{
	"db", "bm", "ci", "dict", "generic", "script", "vuconf", "vucreated", "vustatus", "vucomplete", "datagen", "tcconf",
}

// PrintWords lists the arguments of the command print.
func PrintWords() []string { return slices.Clone(printWords) }

func printSettings(c *Console, _ context.Context, call Call) (string, error) {
	switch call.Args[0] {
	case "db":
		c.out.print(c.describeDatabases())
	case "bm":
		c.out.print("Benchmark set to " + c.book.Benchmark().Name)
	case "ci":
		c.out.print("No CI configuration loaded")
	case "dict":
		c.out.print("Dictionary Settings for " + dictionaries.NameOf(c.book.Database()) + "\n" + layOut(c.currentSections()))
	case "generic":
		c.out.print("Generic Dictionary Settings\n" + layOut(c.book.GenericSections()))
	case "vuconf":
		c.out.print(c.describeVirtualUsers())
	case "datagen":
		c.out.print(c.datagenText())
	case "tcconf":
		c.out.print(layOut(only(c.book.GenericSections(), counterSection)))
	case "script":
		text, err := c.scriptText()
		if err != nil {
			return "", err
		}
		c.out.print(text)
	case "vucreated":
		c.out.printf("%d Virtual Users created", c.users.count())
	case "vustatus":
		c.out.print(c.users.String())
	case "vucomplete":
		// Prints nothing, as in HammerDB: vucomplete returns its result.
	default:
		return "", invalidOption(call.Name, call.Args[0], printWords)
	}
	return "", nil
}

// describeDatabases lists each database and its prefix, in HammerDB's format, which ends with a
// blank.
func (c *Console) describeDatabases() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Database %s set.\nTo change do: dbset db prefix, one of:\n", dictionaries.NameOf(c.book.Database()))
	for _, p := range c.book.Products() {
		if !p.Built {
			continue // dbset would refuse it
		}
		fmt.Fprintf(&text, "%s = %s ", p.Name, p.Prefix)
	}
	return text.String()
}

// currentSections returns the sections of the current benchmark's database.
func (c *Console) currentSections() []dictionaries.Section {
	return only(c.book.Sections(), dictionaries.ConnectionSection, c.book.Benchmark().Section)
}

func only(sections []dictionaries.Section, names ...string) []dictionaries.Section {
	var chosen []dictionaries.Section
	for _, name := range names {
		for _, s := range sections {
			if s.Name == name {
				chosen = append(chosen, s)
			}
		}
	}
	return chosen
}

// layOut formats sections as HammerDB does: it pads section names to the longest one, and keys to
// the longest of their section.
func layOut(sections []dictionaries.Section) string {
	widest := 0
	for _, s := range sections {
		widest = max(widest, len(s.Name))
	}
	var lines []string
	for _, s := range sections {
		lines = append(lines, fmt.Sprintf("%-*s {", widest, s.Name))
		widestKey := 0
		for _, e := range s.Entries {
			widestKey = max(widestKey, len(e.Name))
		}
		for _, e := range s.Entries {
			lines = append(lines, fmt.Sprintf(" %-*s = %s", widestKey, e.Name, e.Value))
		}
		lines = append(lines, "}")
	}
	return strings.Join(lines, "\n")
}

// describeVirtualUsers returns the nine lines of print vuconf.
func (c *Console) describeVirtualUsers() string {
	var lines []string
	for _, l := range []struct{ title, key string }{
		{"Virtual Users", "virtual_users"},
		{"User Delay(ms)", "user_delay"},
		{"Repeat Delay(ms)", "repeat_delay"},
		{"Iterations", "iterations"},
		{"Show Output", "show_output"},
		{"Log Output", "log_to_temp"},
		{"Unique Log Name", "unique_log_name"},
		{"No Log Buffer", "no_log_buffer"},
		{"Log Timestamps", "log_timestamps"},
	} {
		lines = append(lines, l.title+" = "+c.book.Generic(virtualUserSection, l.key))
	}
	return strings.Join(lines, "\n")
}
