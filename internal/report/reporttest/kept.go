package reporttest

import (
	"embed"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Kept is a job of a real run with its measurements. Pages of the manual show kept jobs, and a test
// renders them again and compares.
type Kept struct {
	Job      job.Job            `json:"job"`
	Measured meter.CodedSummary `json:"measured"`

	// Seconds are the seconds of the measured time, with all kinds of transaction together. Only
	// jobs whose live display the manual shows have them.
	Seconds []job.Second `json:"seconds,omitempty"`
}

//go:embed kept
var files embed.FS

// ReadKept reads a kept document, such as a Kept job, into a value.
func ReadKept(t testing.TB, name string, into any) {
	t.Helper()
	text, err := files.ReadFile("kept/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes a kept job to the file name.json in folder, without the names of its machines and
// the settings of the server, which no page shows.
func (k Kept) Write(t testing.TB, folder, name string) {
	t.Helper()
	k.Job.Host = "client"
	if k.Job.Facts != nil {
		k.Job.Facts.Host.Name, k.Job.Facts.ServerSettings = "client", nil
	}
	text, err := json.Marshal(k)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Updating reports whether the tests rewrite golden files and pages of kept jobs.
func Updating() bool { return *update }
