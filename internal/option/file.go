package option

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// mostBytes is far more than any file has that an option names. It keeps a wrong path from
// being read for ever.
const mostBytes = 1 << 20

// ReadFile reads a file that an option names. It refuses what may have no end, as a pipe or
// a device. Its errors name the file.
func ReadFile(path string) ([]byte, error) {
	// Looked at before it is opened: to open a pipe waits until somebody writes to it.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a plain file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err == nil && len(text) > mostBytes {
		err = errors.New("it is longer than 1 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
