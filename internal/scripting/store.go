// Package scripting stores users' console scripts by name, and runs scripts and the console's
// prompt, each in a child process of the same program. Any number of readers can follow the output.
// It does not know the languages and commands of the console.
package scripting

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sledge/internal/job"
)

// Limits of stored scripts.
const (
	MaxText    = 192 << 10 // bytes of a script
	maxScripts = 1000
)

// Script is a stored script.
type Script struct {
	Name     string    `json:"name"`
	Language Language  `json:"language" enum:"tcl,python,driver"`
	Bytes    int64     `json:"bytes"`
	Changed  time.Time `json:"changed"`
}

// Text is a script with its text.
type Text struct {
	Script
	Text    string `json:"text"`
	Version string `json:"version" doc:"Changes when the text does."`
}

// Language is the language of a script.
type Language string

// The languages of scripts. A driver script determines what virtual users do, as data: see the
// command savescript.
const (
	Tcl    Language = "tcl"
	Python Language = "python"
	Driver Language = "driver"
)

// endings maps the endings of scripts' names to languages. The first match counts, so longer
// endings come first.
var endings = []struct {
	ending   string
	language Language
}{{".driver.tcl", Driver}, {".tcl", Tcl}, {".py", Python}}

// names matches names that mean the same file on every system.
var names = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,99}$`)

// reserved matches names that Windows reserves, with any suffix.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// LanguageOf returns the language of a script by its name, or an error if the name is invalid.
func LanguageOf(name string) (Language, error) {
	if !names.MatchString(name) || reserved.MatchString(name) || strings.Contains(name, "..") {
		return "", job.WithExit(job.ExitUsage, errors.New("the name of a script may contain only letters, digits, blanks and _ . + -, must begin with a letter, a digit or _, and may have at most 100 characters: choose another"))
	}
	for _, e := range endings {
		if stem, ends := strings.CutSuffix(name, e.ending); ends && stem != "" {
			return e.language, nil
		}
	}
	return "", job.WithExit(job.ExitUsage, errors.New("the name of a script ends in .tcl, .py or .driver.tcl, which says what it is written in: add one of them"))
}

// Store is the folder of scripts, readable only by the user, because scripts may contain
// passwords. It never reads or writes outside the folder, even through links.
type Store struct{ Folder string }

// open opens the folder. If wanted is true, it creates the folder if it does not exist.
func (s Store) open(wanted bool) (*os.Root, error) {
	if wanted {
		if err := os.MkdirAll(s.Folder, 0o700); err != nil {
			return nil, fmt.Errorf("create the folder of scripts: %w", err)
		}
	}
	return os.OpenRoot(s.Folder)
}

// List lists the scripts by name. It ignores other files.
func (s Store) List() ([]Script, error) {
	list := []Script{}
	entries, err := os.ReadDir(s.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the scripts: %w", err)
	}
	for _, entry := range entries {
		language, err := LanguageOf(entry.Name())
		info, gone := entry.Info()
		if err != nil || gone != nil || !info.Mode().IsRegular() {
			continue
		}
		list = append(list, Script{entry.Name(), language, info.Size(), info.ModTime().UTC()})
	}
	slices.SortFunc(list, func(a, b Script) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return list, nil
}

// noScript returns the error for a script that does not exist.
func noScript(name string) error {
	return job.WithExit(job.ExitMissing, fmt.Errorf("there is no script %s", name))
}

// stat returns the file of a script.
func stat(root *os.Root, name string) (os.FileInfo, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noScript(name)
	}
	if err != nil {
		return nil, fmt.Errorf("look for script %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%s in the folder of scripts is not a regular file", name))
	}
	return info, nil
}

// Read returns a script with its text.
func (s Store) Read(name string) (Text, error) {
	language, err := LanguageOf(name)
	if err != nil {
		return Text{}, err
	}
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Text{}, noScript(name)
	}
	if err != nil {
		return Text{}, err
	}
	defer root.Close()
	return read(root, name, language)
}

func read(root *os.Root, name string, language Language) (Text, error) {
	info, err := stat(root, name)
	if err != nil {
		return Text{}, err
	}
	if info.Size() > MaxText {
		return Text{}, job.WithExit(job.ExitUsage, fmt.Errorf("script %s has %d bytes, but this editor only opens %d: use another editor", name, info.Size(), MaxText))
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return Text{}, fmt.Errorf("read script %s: %w", name, err)
	}
	if !utf8.Valid(text) {
		return Text{}, job.WithExit(job.ExitUsage, fmt.Errorf("script %s is not UTF-8 text: convert it first", name))
	}
	return Text{Script{name, language, int64(len(text)), info.ModTime().UTC()}, string(text), versionOf(text)}, nil
}

func versionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// ErrChanged means that a script has changed since it was read.
var ErrChanged = errors.New("it has been changed since you read it")

// changing is held while a script is changed, so that of two changes to the same version one fails.
var changing sync.Mutex

// Write saves a script. version is that of the text to replace, or "" for a new script. If another
// version is stored, nothing is written.
func (s Store) Write(name, text, version string) (Text, error) {
	language, err := LanguageOf(name)
	if err != nil {
		return Text{}, err
	}
	if len(text) > MaxText || !utf8.ValidString(text) {
		return Text{}, job.WithExit(job.ExitUsage, fmt.Errorf("script %s: a script is UTF-8 text of at most %d bytes", name, MaxText))
	}
	changing.Lock()
	defer changing.Unlock()
	root, err := s.open(true)
	if err != nil {
		return Text{}, err
	}
	defer root.Close()
	switch kept, err := read(root, name, language); {
	case err == nil && kept.Version != version:
		why := ErrChanged
		if version == "" {
			why = errors.New("a script with this name exists: choose another name")
		}
		return Text{}, job.WithExit(job.ExitExists, fmt.Errorf("script %s: %w", name, why))
	case err != nil && job.ExitOf(err) != job.ExitMissing:
		return Text{}, err
	case err != nil && version != "":
		return Text{}, fmt.Errorf("%w any more: give it another name to keep it", err)
	case err != nil:
		if all, err := s.List(); err != nil || len(all) >= maxScripts {
			return Text{}, cmp.Or(err, job.WithExit(job.ExitUsage, fmt.Errorf("%d scripts are saved, which is the limit: delete one", maxScripts)))
		}
	}
	if err := replace(root, name, text); err != nil {
		return Text{}, fmt.Errorf("write script %s: %w", name, err)
	}
	return read(root, name, language)
}

// replace writes a file completely, or leaves it unchanged.
func replace(root *os.Root, name, text string) error {
	fresh := ".new-" + rand.Text()
	err := root.WriteFile(fresh, []byte(text), 0o600)
	if err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		_ = root.Remove(fresh) // it may not exist
	}
	return err
}

// Remove deletes a script.
func (s Store) Remove(name string) error {
	if _, err := LanguageOf(name); err != nil {
		return err
	}
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return noScript(name)
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := stat(root, name); err != nil {
		return err
	}
	if err := root.Remove(name); err != nil {
		return fmt.Errorf("delete script %s: %w", name, err)
	}
	return nil
}

// path returns the path of a script.
func (s Store) path(name string) string { return filepath.Join(s.Folder, name) }
