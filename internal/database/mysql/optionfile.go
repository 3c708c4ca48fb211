package mysql

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// optionReader reads the option files of MySQL and MariaDB (MySQL manual, section 6.2.2.2). They
// look like INI files, but libraries for INI files misread them: a semicolon may be part of a
// password, a # ends a value unless it is quoted, dashes and underscores are equivalent, \s is a
// blank, and a line may include other files.
type optionReader struct {
	wanted   []string // the groups
	options  []fileOption
	warnings []string
}

// deepest is the maximum depth of includes.
const deepest = 10

// read reads the options of a file. A file that is missing or unreadable counts as empty, as for
// the clients.
func (r *optionReader) read(path string, depth int) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	mode := info.Mode().Perm()
	if runtime.GOOS == "windows" {
		mode = 0o600 // Windows has no such modes
	}
	if mode&0o002 != 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("ignored the file %s, because all users can change it: chmod o-w %s", path, path))
		return
	}
	group := ""
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '!':
			r.include(line, filepath.Dir(path), depth)
		case line[0] == '[':
			group, _, _ = strings.Cut(line[1:], "]")
			group = strings.TrimSpace(group)
		case slices.Contains(r.wanted, group):
			r.options = append(r.options, readOption(line, path, number, mode))
		}
	}
	if lines.Err() != nil {
		r.warnings = append(r.warnings, fmt.Sprintf("could read only part of the file %s: %v", path, lines.Err()))
	}
}

// include reads the file, or the files of the folder, that a line names.
func (r *optionReader) include(line, folder string, depth int) {
	if depth == deepest {
		return
	}
	word, path, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	path = strings.TrimSpace(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	switch word {
	case "!include":
		r.read(path, depth+1)
	case "!includedir":
		entries, err := os.ReadDir(path) // sorted
		if err != nil {
			return
		}
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".cnf" || ext == ".ini" && runtime.GOOS == "windows" {
				r.read(filepath.Join(path, e.Name()), depth+1)
			}
		}
	}
}

// readOption reads name, or name = value.
func readOption(line, path string, number int, mode fs.FileMode) fileOption {
	line = beforeComment(line)
	name, value, hasValue := strings.Cut(line, "=")
	name = strings.ReplaceAll(strings.TrimSpace(name), "_", "-")
	return fileOption{
		name:  strings.TrimPrefix(name, "loose-"),
		value: unquote(strings.TrimSpace(value)), hasValue: hasValue,
		path: path, line: number, mode: mode,
	}
}

// beforeComment cuts a line at the first # outside of quotes.
func beforeComment(line string) string {
	var quote, before rune
	for i, c := range line {
		switch {
		case before == '\\' && quote != 0:
			c = 0 // an escaped character has no special meaning
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '#':
			return line[:i]
		}
		before = c
	}
	return line
}

// unquote removes the quotes of a value and replaces its escapes.
func unquote(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	return strings.NewReplacer(`\\`, `\`, `\b`, "\b", `\t`, "\t", `\n`, "\n", `\r`, "\r", `\s`, " ", `\"`, `"`, `\'`, `'`).Replace(value)
}
