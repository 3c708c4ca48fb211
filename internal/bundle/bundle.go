// Package bundle writes recorded runs into one file that other people can verify, compare and
// repeat, and reads such files.
//
// A bundle is a zip file. Its members can be read without Sledge:
//
//	bundle.json     a Manifest: the jobs as the repository has them
//	ID.json         what sledge jobs export ID prints, for each job
//	ID.toml         the job's settings, as a configuration file of sledge run
//	SHA256SUMS      the checksums of the members above, as sha256sum writes them
//	SHA256SUMS.sig  a signature of SHA256SUMS in OpenSSH's format, if the bundle is signed
package bundle

import (
	"fmt"
	"maps"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
)

// Schema names the format of Manifest. It changes when a program that reads one format could
// misread the other; new members alone do not change it.
const Schema = "sledge-bundle-1"

// The names of members, and the end of the name of a bundle.
const (
	manifestName  = "bundle.json"
	sumsName      = "SHA256SUMS"
	signatureName = "SHA256SUMS.sig"

	Extension = ".sledge.zip"
)

// Manifest is the member bundle.json.
type Manifest struct {
	Schema string    `json:"schema"` // always Schema
	Made   time.Time `json:"made"`
	MadeBy string    `json:"made_by"` // the version of Sledge that wrote the bundle
	Hidden bool      `json:"machines_hidden"`
	Jobs   []job.Job `json:"jobs"`
}

// Bundle is a bundle that was read.
type Bundle struct {
	Path string
	Manifest
	Runs []Run // in the order of Manifest.Jobs

	// Changed lists the members that are not what SHA256SUMS says, with what is wrong.
	Changed []Fault

	// Signature is how the bundle is signed; nil if it is not.
	Signature *Signature
}

// Run is a job in a bundle with its record.
type Run struct {
	Job     job.Job
	Summary meter.Summary // from the histograms of the record
	Config  string        // the settings as a configuration file; "" if they have no such form

	record record
	text   []byte // record before it was decoded
}

// record is what sledge jobs export prints.
type record struct {
	report.ExportHead
	Seconds []report.Second `json:"seconds"`
}

// Fault is a member of a bundle, or a number in one, that is wrong.
type Fault struct {
	Where  string `json:"where"`            // "67FD33.json", or "67FD33.json: metrics.0.value"
	Why    string `json:"why"`              // a clause
	Stated string `json:"stated,omitempty"` // of a number or a text: what the bundle says
	Actual string `json:"actual,omitempty"` // and what follows from its data
}

// Measured returns the runs with their measurements.
func (b *Bundle) Measured() []report.Measured {
	var list []report.Measured
	for _, r := range b.Runs {
		list = append(list, report.Measured{Job: r.Job, Summary: r.Summary, Plans: r.record.Plans})
	}
	return list
}

// Config returns the settings of the runs as a configuration file. It returns an error if the runs
// have different settings, or settings that have no such form.
func (b *Bundle) Config() (string, error) {
	first := b.Runs[0]
	for _, r := range b.Runs {
		switch {
		case r.Job.Spec.Action != job.Run:
			return "", fmt.Errorf("job %s is a %s, and only runs are repeated", r.Job.ID, r.Job.Spec.Action)
		case r.Config == "":
			return "", fmt.Errorf("the settings of run %s cannot be repeated: they name files that are not in the bundle", r.Job.ID)
		case r.Config != first.Config, !maps.Equal(r.Job.Spec.Files, first.Job.Spec.Files):
			return "", fmt.Errorf("runs %s and %s have different settings: bundle them apart", first.Job.ID, r.Job.ID)
		}
	}
	return first.Config, nil
}
