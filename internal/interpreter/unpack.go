package interpreter

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrWithoutTcl is the error of a program that was built with go build alone.
var ErrWithoutTcl = errors.New("this sledge was built without Tcl: build it with make build")

// unpacked returns the path of the embedded Tcl interpreter, which it unpacks once for each user.
// The caller calls remove when the interpreter has ended.
func unpacked() (program string, remove func(), err error) {
	want, err := helperChecksum()
	if err != nil {
		return "", nil, err
	}
	if cache, err := os.UserCacheDir(); err == nil {
		const enough = 16 // characters of the checksum that identify a version
		program, err := unpackIn(filepath.Join(cache, "sledge", "tcl-"+want[:enough]), want)
		if err == nil {
			return program, func() {}, nil
		}
	}
	return unpackedForOnce()
}

// unpackedForOnce unpacks the interpreter into a temporary folder, for users whose home folder is
// missing, full or read-only.
func unpackedForOnce() (program string, remove func(), err error) {
	want, err := helperChecksum()
	if err != nil {
		return "", nil, err
	}
	folder, err := os.MkdirTemp("", "sledge-tcl-")
	if err != nil {
		return "", nil, fmt.Errorf("unpack the Tcl interpreter: %w", err)
	}
	remove = func() { os.RemoveAll(folder) }
	if program, err = unpackIn(folder, want); err != nil {
		remove()
		return "", nil, fmt.Errorf("unpack the Tcl interpreter: %w", err)
	}
	return program, remove, nil
}

// helperChecksum returns the SHA-256 of the embedded program.
func helperChecksum() (string, error) {
	sum, err := fs.ReadFile(helper, path.Join(helperFolder, "tclsh.sha256"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrWithoutTcl
	}
	return strings.TrimSpace(string(sum)), err
}

// unpackIn unpacks the program in a folder, unless the folder contains it with the right checksum.
func unpackIn(folder, want string) (program string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	program = filepath.Join(folder, "tclsh")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if got, err := checksum(program); err == nil && got == want {
		return program, nil
	}
	return program, unpack(program)
}

// checksum returns the SHA-256 of a file in hexadecimal.
func checksum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unpack writes the program under a temporary name until it is complete, because two processes may
// unpack it at the same time.
func unpack(program string) error {
	packed, err := fs.ReadFile(helper, path.Join(helperFolder, "tclsh.gz"))
	if err != nil {
		return err
	}
	from, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	to, err := os.CreateTemp(filepath.Dir(program), "tclsh-")
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Chmod(0o700), to.Close()); err != nil {
		return err
	}
	return os.Rename(to.Name(), program)
}
