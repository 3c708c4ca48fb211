// Command pack builds the Tcl interpreter for a system and packs it into
// internal/interpreter/helper for embedding: pack linux/amd64. Run it in the root of the source
// tree.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("give one argument: a system and a processor, such as linux/amd64"))
	}
	if err := pack(os.Args[1]); err != nil {
		fail(fmt.Errorf("pack Tcl for %s: %w", os.Args[1], err))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func pack(platform string) error {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("%q is not a system and a processor, such as linux/amd64", platform)
	}
	folder := filepath.Join("internal", "interpreter", "helper", system+"-"+processor)
	if _, err := os.Stat(folder); err != nil {
		return fmt.Errorf("it is not one of the released systems: %w", err)
	}
	program, err := build(system, processor)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	to, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := to.Write(program); err != nil {
		return err
	}
	if err := to.Close(); err != nil {
		return err
	}
	sum := fmt.Sprintf("%x\n", sha256.Sum256(program))
	// The checksum is written first, because make looks at the age of the other file.
	if err := replace(filepath.Join(folder, "tclsh.sha256"), []byte(sum)); err != nil {
		return err
	}
	return replace(filepath.Join(folder, "tclsh.gz"), packed.Bytes())
}

// build returns the interpreter's program.
func build(system, processor string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "pack-tclsh-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "tclsh")
	// Without symbols the program is a third smaller. Stack traces still have functions and lines.
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, ".")
	command.Dir = "tclsh"
	command.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOWORK=off")
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(program)
}

// replace writes a file under a temporary name until it is complete, because another build may be
// running.
func replace(name string, text []byte) error {
	written := name + ".new"
	if err := os.WriteFile(written, text, 0o644); err != nil {
		return err
	}
	return os.Rename(written, name)
}
