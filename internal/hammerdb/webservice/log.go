package webservice

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// tailBytes is how much of a log is shown.
const tailBytes = 64 << 10

// newestLog returns the end of the newest file hammerdb*.log of a folder, or "". Others may
// write to that folder: what leads out of it, and what is no file, is passed over.
func newestLog(folder string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", fmt.Errorf("look for logs: %w", err)
	}
	defer root.Close()
	names, err := fs.Glob(root.FS(), "hammerdb*.log")
	if err != nil {
		return "", fmt.Errorf("look for logs in %s: %w", folder, err)
	}
	var newest string
	var at time.Time
	for _, name := range names {
		info, err := root.Lstat(name)
		if err == nil && info.Mode().IsRegular() && info.ModTime().After(at) {
			newest, at = name, info.ModTime()
		}
	}
	if newest == "" {
		return "", nil
	}
	file, err := root.Open(newest)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // it was moved away meanwhile
	}
	if err != nil {
		return "", fmt.Errorf("read a log: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("read a log: %w", err)
	}
	from := max(0, info.Size()-tailBytes)
	text, err := io.ReadAll(io.NewSectionReader(file, from, tailBytes))
	if err != nil {
		return "", fmt.Errorf("read the log %s: %w", newest, err)
	}
	if from > 0 { // which may be within a line
		_, rest, _ := strings.Cut(string(text), "\n")
		return strings.TrimSuffix(rest, "\n"), nil
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}
