package webservice

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// tailBytes is the size of the shown end of a log.
const tailBytes = 64 << 10

// newestLog returns the end of the newest file hammerdb*.log in a folder; found reports whether
// there is one. Because other users may write to the folder, newestLog ignores links that leave it,
// and everything except regular files.
func newestLog(folder string) (text string, found bool, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", false, fmt.Errorf("look for logs: %w", err)
	}
	defer root.Close()
	names, err := fs.Glob(root.FS(), "hammerdb*.log")
	if err != nil {
		return "", false, fmt.Errorf("look for logs in %s: %w", folder, err)
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
		return "", false, nil
	}
	text, err = tailOf(root, newest)
	if errors.Is(err, errNoFile) || errors.Is(err, fs.ErrNotExist) {
		return "", false, nil // the file was moved away meanwhile
	}
	if err != nil {
		return "", false, fmt.Errorf("read a log: %w", err)
	}
	return text, true, nil
}

// errNoFile means that a name does not belong to a regular file.
var errNoFile = errors.New("it is not a regular file")

// tailOf returns the last lines of a regular file. It must not block on a pipe that has
// replaced a log, because the pipe may have no writer.
func tailOf(root *os.Root, name string) (string, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w", name, errNoFile)
	}
	from := max(0, info.Size()-tailBytes)
	read, err := io.ReadAll(io.NewSectionReader(file, from, tailBytes))
	if err != nil {
		return "", err
	}
	text := string(read)
	if _, rest, more := strings.Cut(text, "\n"); from > 0 && more && rest != "" {
		text = rest // the first line may lack its beginning
	}
	return strings.ToValidUTF8(strings.TrimSuffix(text, "\n"), "\uFFFD"), nil
}
