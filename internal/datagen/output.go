package datagen

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// output is a file that is being written, compressed or not, with its checksums.
type output struct {
	file       *os.File
	compressor io.WriteCloser // nil when the file is not compressed

	made    int64     // size before compression
	stored  int64     // bytes in the file
	whole   hash.Hash // of the file
	content hash.Hash // checksum of the contents before compression; nil for a Parquet file
}

// newOutput writes to a file. The rows are mostly random letters, which the best compression does
// not make smaller than the fastest does, in five times the time.
func newOutput(file *os.File, format Format, compression Compression) (*output, error) {
	o := &output{file: file, whole: sha256.New()}
	if format == Parquet { // compressed internally
		return o, nil
	}
	o.content = md5.New()
	var err error
	switch compression {
	case Gzip:
		o.compressor, err = gzip.NewWriterLevel(toFile{o}, gzip.BestSpeed)
	case Zstd:
		// One goroutine per file, because the workers already run in parallel.
		o.compressor, err = zstd.NewWriter(toFile{o}, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	}
	return o, err
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	o.made += int64(len(text))
	if o.content != nil {
		o.content.Write(text)
	}
	if o.compressor == nil {
		return toFile{o}.Write(text)
	}
	return o.compressor.Write(text)
}

// md5 returns the MD5 of the contents before compression, or "" for a Parquet file.
func (o *output) md5() string {
	if o.content == nil {
		return ""
	}
	return hex.EncodeToString(o.content.Sum(nil))
}

// Close writes the pending data and closes the file. A full disk may be reported only here.
func (o *output) Close() error {
	var err error
	if o.compressor != nil {
		err = o.compressor.Close()
	}
	return errors.Join(err, cause(o.file.Close()))
}

// toFile writes to the file of an output, and counts and hashes the bytes.
type toFile struct{ *output }

func (f toFile) Write(text []byte) (int, error) {
	n, err := f.file.Write(text)
	f.stored += int64(n)
	f.whole.Write(text[:n])
	return n, cause(err)
}
