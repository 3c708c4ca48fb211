package datagen

import (
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
)

// output is a file that is being written, compressed or not.
type output struct {
	io.Writer
	file *countedFile
	gzip *gzip.Writer // nil when the file is not compressed
}

// newOutput writes to a file. The rows are mostly random letters, which best
// compression makes no smaller than the fastest does, but takes five times as long.
func newOutput(file *os.File, compress bool) (*output, error) {
	counted := &countedFile{file: file}
	if !compress {
		return &output{Writer: counted, file: counted}, nil
	}
	z, err := gzip.NewWriterLevel(counted, gzip.BestSpeed)
	return &output{Writer: z, file: counted, gzip: z}, err
}

// Close writes what is pending and closes the file. What only then turns out not
// to fit on the disk is an error, too.
func (o *output) Close() error {
	var err error
	if o.gzip != nil {
		err = o.gzip.Close()
	}
	return errors.Join(err, cause(o.file.file.Close()))
}

// countedFile counts what is written to a file.
type countedFile struct {
	file    *os.File
	written int64
}

func (f *countedFile) Write(text []byte) (int, error) {
	n, err := f.file.Write(text)
	f.written += int64(n)
	return n, cause(err)
}
