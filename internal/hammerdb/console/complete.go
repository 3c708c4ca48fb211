package console

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/repository"
)

// Complete returns the completions of the word before position, which counts bytes. A completed
// line is head, then one of the completions, then tail.
func (c *Console) Complete(line string, position int) (head string, completions []string, tail string) {
	// The typed command is the last one of the line, possibly inside brackets.
	command := line[:position]
	command = command[strings.LastIndexAny(command, ";[{")+1:]
	word := command[strings.LastIndexAny(command, " \t")+1:]
	before := strings.Fields(strings.TrimSuffix(command, word))
	for _, candidate := range c.candidates(before, word) {
		if strings.HasPrefix(candidate, word) {
			completions = append(completions, candidate)
		}
	}
	return line[:position-len(word)], completions, line[position:]
}

// candidates lists the words that may follow the given ones.
func (c *Console) candidates(before []string, word string) []string {
	if len(before) == 0 {
		return Commands()
	}
	name, args := before[0], before[1:]
	switch name {
	case "diset":
		return c.settings(c.book.Sections(), args)
	case "giset":
		return c.settings(c.book.GenericSections(), args)
	case "dbset":
		return c.choices(args)
	case "vuset":
		if len(args) == 1 && args[0] == "vu" {
			return []string{"vcpu"}
		}
	case "jobs", "job":
		if len(args) == 0 {
			return slices.Concat(c.jobIDs(), slices.Sorted(maps.Keys(forms())), []string{"disable"})
		}
	case "help":
		if len(args) == 0 {
			return Commands()
		}
	case "source", "customscript":
		if len(args) == 0 {
			return scriptFiles(word)
		}
	}
	return alternatives(name, len(args))
}

// settings lists the words that may follow the first arguments of diset and giset.
func (c *Console) settings(sections []dictionaries.Section, args []string) (words []string) {
	for _, section := range sections {
		if len(args) == 0 {
			words = append(words, section.Name)
			continue
		}
		if section.Name != args[0] {
			continue
		}
		for _, entry := range section.Entries {
			switch {
			case len(args) == 1:
				words = append(words, entry.Name)
			case len(args) == 2 && entry.Name == args[1]:
				return values(entry)
			}
		}
	}
	return words
}

// values lists the values that a setting may have, or else its current value.
func values(entry dictionaries.Entry) []string {
	switch {
	case entry.Secret:
		return nil
	case len(entry.Choices) > 0:
		return entry.Choices
	case entry.Kind == "bool":
		return []string{"true", "false"}
	case entry.Value == "":
		return nil
	}
	return []string{entry.Value}
}

// choices lists the words that may follow the first arguments of dbset.
func (c *Console) choices(args []string) (words []string) {
	switch {
	case len(args) == 0:
		return []string{"db", "bm"}
	case len(args) == 1 && args[0] == "db":
		for _, product := range c.book.Products() {
			if product.Built {
				words = append(words, product.Prefix)
			}
		}
	case len(args) == 1 && args[0] == "bm":
		for _, benchmark := range c.book.Benchmarks() {
			words = append(words, benchmark.Title)
		}
	}
	return words
}

// jobIDs lists the latest jobs, or nothing if they cannot be read.
func (c *Console) jobIDs() (ids []string) {
	const offered = 20
	store, err := c.jobsStore()
	if err != nil || store == nil {
		return nil
	}
	jobs, err := store.List(context.Background(), repository.Query{Limit: offered})
	if err != nil {
		return nil
	}
	for _, j := range jobs {
		ids = append(ids, string(j.ID))
	}
	return ids
}

// alternatives lists the words in brackets that a command's usage allows for an argument: for
// "[vu|delay] value" and argument 0, vu and delay.
func alternatives(name string, place int) []string {
	command, ok := find(name)
	if !ok {
		return nil
	}
	words := strings.Fields(command.usage)
	if len(words) <= place+1 {
		return nil
	}
	inside, opened := strings.CutPrefix(words[place+1], "[")
	inside, closed := strings.CutSuffix(inside, "]")
	if !opened || !closed || !strings.Contains(inside, "|") {
		return nil
	}
	return strings.Split(inside, "|")
}

// scriptFiles lists the Tcl scripts and folders that begin with a path.
func scriptFiles(typed string) (paths []string) {
	folder := typed[:strings.LastIndex(typed, "/")+1]
	entries, err := os.ReadDir(filepath.Join(".", folder))
	if filepath.IsAbs(folder) {
		entries, err = os.ReadDir(folder)
	}
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		switch {
		case entry.IsDir():
			paths = append(paths, folder+entry.Name()+"/")
		case filepath.Ext(entry.Name()) == ".tcl":
			paths = append(paths, folder+entry.Name())
		}
	}
	return paths
}
