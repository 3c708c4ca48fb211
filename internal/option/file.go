package option

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// mostBytes limits the size of a file that an option names. It is far above any need, and stops the
// reading of a wrong path.
const mostBytes = 1 << 20

// ReadFile reads a file that an option names. It refuses pipes and devices, which may have no
// end. Its errors name the file.
func ReadFile(path string) ([]byte, error) {
	// Checked before opening: opening a pipe blocks until a process writes to it.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
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
