package console

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// Kept holds the saved settings, with which the next console starts.
type Kept struct {
	File         string           `json:"file,omitempty" doc:"The file on the server's machine that keeps them; missing if no file does."`
	Dictionaries []KeptDictionary `json:"dictionaries"`
	Warnings     []string         `json:"warnings" doc:"The lines of the file that are ignored."`
}

// KeptDictionary holds the settings of a database, or of the console itself.
type KeptDictionary struct {
	Name     string        `json:"name" doc:"The database's, or generic."`
	Title    string        `json:"title"`
	Command  string        `json:"command" doc:"The console's command that changes one of them."`
	Changed  int           `json:"changed" doc:"The number of settings that differ from the default."`
	Sections []KeptSection `json:"sections"`
}

// KeptSection is a section of a dictionary.
type KeptSection struct {
	Name    string      `json:"name"`
	Entries []KeptEntry `json:"entries"`
}

// KeptEntry is a setting with its value, which is masked if it is secret.
type KeptEntry struct {
	option.Description
	Value   string `json:"value"`
	Changed bool   `json:"changed" doc:"Whether it differs from the default."`
	Limits  string `json:"limits" doc:"The allowed values, in words."`
	Idle    bool   `json:"idle,omitempty" doc:"Whether it has no effect; scripts may still set it."`
}

// KeptIn reads the settings in a file. If the file does not exist, KeptIn returns the defaults and
// does not create it.
func KeptIn(resolver settings.Resolver, file string) (Kept, error) {
	k := Kept{File: file, Warnings: []string{}}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file = ""
	}
	book, err := dictionaries.Open(resolver, file)
	if err != nil {
		return Kept{}, err
	}
	defer book.Close()
	k.Warnings = append(k.Warnings, book.Warnings()...)
	for _, d := range book.Dictionaries() {
		k.Dictionaries = append(k.Dictionaries, keptDictionary(d))
	}
	return k, nil
}

func keptDictionary(d dictionaries.Dictionary) KeptDictionary {
	k := KeptDictionary{Name: d.Name, Title: d.Title, Command: "diset"}
	if d.Prefix == "" {
		k.Command = "giset"
	}
	for _, s := range d.Sections {
		section := KeptSection{Name: s.Name, Entries: []KeptEntry{}}
		for _, e := range s.Entries {
			if e.Soon && !e.Changed {
				continue
			}
			if e.Changed {
				k.Changed++
			}
			section.Entries = append(section.Entries, KeptEntry{
				e.Description, e.Value, e.Changed, e.Limits(), strings.Contains(e.Help, dictionaries.WithoutEffect),
			})
		}
		k.Sections = append(k.Sections, section)
	}
	return k
}

// Keep changes a setting in a file, like the dictionary's command, and returns the line that the
// command prints. Running consoles do not see the change.
func Keep(resolver settings.Resolver, file, dictionary, section, key, value string) (line string, err error) {
	book, err := dictionaries.Open(resolver, file)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	change, err := book.SetIn(dictionary, section, key, value)
	if same, is := errors.AsType[*dictionaries.SameValueError](err); is {
		return same.Error(), nil
	}
	return change.String(), job.WithExit(job.ExitUsage, err)
}
