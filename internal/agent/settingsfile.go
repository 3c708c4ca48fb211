package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SettingsFile is a configuration file of a server.
type SettingsFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
	None bool   `json:"none,omitempty"` // there is no such file
}

// MostFileBytes limits the text of a SettingsFile.
const MostFileBytes = 1 << 20

// ReadSettingsFile reads the file at a path.
func ReadSettingsFile(path string) (SettingsFile, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return SettingsFile{Path: path, None: true}, nil
	case err == nil && len(text) > MostFileBytes:
		err = fmt.Errorf("%s is longer than %d MiB", path, MostFileBytes>>20)
	}
	return SettingsFile{Path: path, Text: string(text)}, err
}

// Write makes the file on this machine what f says. It writes it in its place, so that it keeps its owner.
func (f SettingsFile) Write() error {
	if f.None {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	file, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) //nolint:gosec // the server's user must be able to read it
	if err != nil {
		return fmt.Errorf("write the server's file of settings: %w", err)
	}
	_, err = file.WriteString(f.Text)
	return errors.Join(err, file.Sync(), file.Close())
}
