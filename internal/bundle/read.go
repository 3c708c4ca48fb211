package bundle

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/meter"
)

const (
	mostJobs   = 1000
	mostMember = 1 << 30 // bytes; the record of a day with ten thousand transactions a second has a fifth of that
)

// idPattern is what the ID of a job looks like. Names of members are made from it.
var idPattern = regexp.MustCompile(`^[0-9A-F]{24}$`)

// IsFile reports whether the name of a set-up is that of a bundle, and not of a label.
func IsFile(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".zip") && !strings.Contains(name, "=")
}

// Read reads a bundle that others may have written. Members that are not what the checksums say are
// read nevertheless if they can be decoded, and listed in Changed.
func Read(path string) (*Bundle, error) {
	z, err := zip.OpenReader(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, job.WithExit(job.ExitMissing, fmt.Errorf("there is no bundle %s: sledge bundle ID writes one", path))
	case err != nil:
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("read the bundle %s: %w", path, err))
	}
	defer z.Close()
	b := &Bundle{Path: path}
	if err := b.read(&z.Reader); err != nil {
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("read the bundle %s: %w", path, err))
	}
	return b, nil
}

func (b *Bundle) read(z *zip.Reader) error {
	members := reader{zip: z, actual: map[string]string{}}
	text, err := members.read(manifestName)
	if err != nil {
		return err
	}
	if text == nil {
		return fmt.Errorf("it has no %s: give a file that sledge bundle wrote", manifestName)
	}
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	switch {
	case b.Schema != Schema:
		return fmt.Errorf("its format is %q, and this version of Sledge reads %s: use the version that wrote it, or a newer one", b.Schema, Schema)
	case len(b.Jobs) == 0:
		return errors.New("it has no jobs")
	case len(b.Jobs) > mostJobs:
		return fmt.Errorf("it has %s jobs, more than %s", humanize.Comma(int64(len(b.Jobs))), humanize.Comma(mostJobs))
	}
	for i, j := range b.Jobs {
		if !idPattern.MatchString(string(j.ID)) || slices.ContainsFunc(b.Jobs[:i], func(other job.Job) bool { return other.ID == j.ID }) {
			return fmt.Errorf("%s: %q is not the ID of a job, or occurs twice", manifestName, j.ID)
		}
		run, err := members.run(j)
		if err != nil {
			return err
		}
		b.Runs = append(b.Runs, run)
	}
	return b.readSums(&members)
}

// reader reads the members of a bundle.
type reader struct {
	zip    *zip.Reader
	actual map[string]string // checksums of the members that were read, in hexadecimal
	broken []Fault           // members that the zip file's own checksums show to be damaged
}

// read returns the text of a member, or nil if the bundle lacks it.
func (r *reader) read(name string) ([]byte, error) {
	at := slices.IndexFunc(r.zip.File, func(f *zip.File) bool { return f.Name == name })
	if at < 0 {
		return nil, nil
	}
	f, err := r.zip.File[at].Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostMember+1))
	switch {
	case len(text) > mostMember:
		return nil, fmt.Errorf("%s is larger than %s", name, humanize.IBytes(mostMember))
	case errors.Is(err, zip.ErrChecksum):
		r.broken = append(r.broken, Fault{Where: name, Why: "it is damaged: its checksum in the zip file is another one"})
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sum := sha256.Sum256(text)
	r.actual[name] = hex.EncodeToString(sum[:])
	return text, nil
}

func (r *reader) run(j job.Job) (Run, error) {
	run := Run{Job: j}
	name := recordName(j.ID)
	text, err := r.read(name)
	if err != nil {
		return run, err
	}
	if text == nil {
		return run, fmt.Errorf("it has no %s, the record of a job in %s", name, manifestName)
	}
	run.text = text
	if err := json.Unmarshal(text, &run.record); err != nil {
		return run, fmt.Errorf("%s: %w", name, err)
	}
	if run.Summary, err = run.record.summary(seconds(j.Result.Elapsed)); err != nil {
		return run, fmt.Errorf("%s: %w", name, err)
	}
	run.Job.Result.Summary = run.Summary
	config, err := r.read(configName(j.ID))
	run.Config = string(config)
	return run, err
}

// summary returns the totals of a record from its histograms and its counts over a measured time.
func (r *record) summary(elapsed time.Duration) (meter.Summary, error) {
	coded := meter.CodedSummary{Elapsed: elapsed}
	if len(r.Histograms) != len(r.Transactions) {
		return meter.Summary{}, fmt.Errorf("it has the histograms of %d kinds of transaction, and the counts of %d", len(r.Histograms), len(r.Transactions))
	}
	for i, h := range r.Histograms {
		coded.Kinds = append(coded.Kinds, r.Transactions[i].Tally(h.Response, h.Service))
	}
	if len(coded.Kinds) == 0 {
		return meter.Summary{Elapsed: coded.Elapsed}, nil
	}
	return coded.Summary()
}

// readSums compares the members with the checksums, and reads the signature.
func (b *Bundle) readSums(r *reader) error {
	text, err := r.read(sumsName)
	if err != nil {
		return err
	}
	if text == nil {
		return fmt.Errorf("it has no %s, so it cannot be verified", sumsName)
	}
	stated := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		sum, name, is := strings.Cut(lines.Text(), "  ")
		if !is || len(sum) != 2*sha256.Size {
			b.Changed = append(b.Changed, Fault{Where: sumsName, Why: "a line of it is not a checksum and a name"})
			continue
		}
		stated[name] = sum
	}
	b.Changed = append(b.Changed, r.broken...)
	for _, f := range r.zip.File {
		switch actual, wasRead := r.actual[f.Name]; {
		case f.Name == sumsName || f.Name == signatureName:
		case !wasRead || stated[f.Name] == "":
			b.Changed = append(b.Changed, Fault{Where: f.Name, Why: "it does not belong to the bundle"})
		case stated[f.Name] != actual:
			b.Changed = append(b.Changed, Fault{Where: f.Name, Why: "it was changed: its checksum is another one", Stated: stated[f.Name], Actual: actual})
		}
		delete(stated, f.Name)
	}
	for name := range stated {
		b.Changed = append(b.Changed, Fault{Where: name, Why: "it is missing"})
	}
	slices.SortFunc(b.Changed, func(a, c Fault) int { return strings.Compare(a.Where, c.Where) })
	signature, err := r.read(signatureName)
	if err == nil && signature != nil {
		b.Signature = readSignature(signature, text)
	}
	return err
}
