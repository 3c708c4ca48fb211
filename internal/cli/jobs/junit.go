package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/report"
)

// junitFile is the JUnit report of a run for CI. When the run begins, it already says that the run
// has not ended. So CI does not read the report of an earlier run if this one is killed.
type junitFile struct{ file *os.File }

var errNotEnded = errors.New("the run has not ended, or its process was killed")

// openJUnit creates the file, or opens one that contains such a report already. It returns nil if
// the path is "".
func openJUnit(path string) (*junitFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, program.Usage("--junit: %w", err)
	}
	head := make([]byte, len(report.JUnitHead))
	n, err := io.ReadFull(file, head)
	if err == io.EOF || bytes.Equal(head[:n], []byte(report.JUnitHead)) {
		j := &junitFile{file}
		if err = j.write(nil, errNotEnded); err == nil {
			return j, nil
		}
		return nil, errors.Join(program.Usage("--junit: %w", err), file.Close())
	}
	return nil, errors.Join(program.Usage("--junit: %s exists and is not a JUnit report of Sledge: choose another name", path), file.Close())
}

// write replaces the contents of the file with the report.
func (j *junitFile) write(runs []job.Job, failure error) error {
	var text bytes.Buffer
	if err := report.JUnit(&text, runs, failure); err != nil {
		return err
	}
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	_, err := j.file.WriteAt(text.Bytes(), 0)
	return err
}

// close writes the report of the runs and closes the file.
func (j *junitFile) close(runs []job.Job, failure error) error {
	if j == nil {
		return nil
	}
	if err := errors.Join(j.write(runs, failure), j.file.Close()); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}
