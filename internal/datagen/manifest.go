package datagen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sledge/internal/job"
	"sledge/internal/schema"
)

// ManifestName is the name of the file that lists all files of rows. It is written last: a folder
// without it is incomplete.
const ManifestName = "datagen.manifest.json"

// manifestSchema names the manifest's format. Its number changes when a program that reads one
// format could misread the other.
const manifestSchema = "sledge-datagen-1"

// Manifest describes a generation and its files.
type Manifest struct {
	Schema      string            `json:"schema"` // always sledge-datagen-1
	Sledge      string            `json:"sledge"` // version
	Begun       time.Time         `json:"begun"`
	Workload    string            `json:"workload"`
	Rows        string            `json:"rows"`    // describes everything that determines the rows
	Options     map[string]string `json:"options"` // the option for the amount of data
	Seed        uint64            `json:"seed"`
	Format      Format            `json:"format"`
	Header      bool              `json:"header,omitempty"`
	Compression Compression       `json:"compression"`
	Files       []File            `json:"files"`
}

// manifest returns the manifest of the written files.
func (g *generation) manifest(began time.Time) Manifest {
	w, settings := g.Plan.Workload, g.Plan.Settings
	m := Manifest{
		Schema: manifestSchema, Sledge: g.Version, Begun: began.UTC().Truncate(time.Second),
		Workload: w.Name, Rows: w.Schema.Identity(settings, g.Plan.Spec.Seed), Options: map[string]string{}, Seed: g.Plan.Spec.Seed,
		Format: g.Format, Header: g.Header, Compression: g.Compression, Files: g.files(),
	}
	if size := w.Schema.Size.Option; size != "" {
		m.Options[size] = g.size()
	}
	return m
}

// writeManifest writes the manifest beside the files.
func (g *generation) writeManifest(began time.Time) (err error) {
	text, err := json.MarshalIndent(g.manifest(began), "", "  ")
	if err != nil {
		return err
	}
	file, err := g.stage.create(ManifestName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile(file)) }()
	if _, err := file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", g.stage.final(ManifestName), cause(err))
	}
	return nil
}

// ReadManifest reads the manifest of a folder.
func ReadManifest(folder string) (Manifest, error) {
	path := filepath.Join(folder, ManifestName)
	text, err := readUpTo(path, largestManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, job.WithExit(job.ExitMissing, fmt.Errorf("%s does not exist: sledge datagen writes it last, so the files are incomplete, or another program wrote them", path))
	}
	if err != nil {
		return Manifest{}, withUsage(fmt.Errorf("read %s: %w", path, cause(err)))
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, withUsage(fmt.Errorf("%s is not a manifest of sledge datagen: %w", path, err))
	}
	if m.Schema != manifestSchema || len(m.Files) == 0 {
		return Manifest{}, withUsage(fmt.Errorf("this version cannot read the manifest %s: its schema is %q, not %s with files", path, m.Schema, manifestSchema))
	}
	c := Config{Format: m.Format, Compression: m.Compression}
	for _, f := range m.Files {
		// Sledge reads and replaces the listed files, so a manifest may list only files of rows.
		p := part{table: schema.Table{Name: f.Table}, number: f.Part, of: f.Parts}
		if f.Name != filepath.Base(f.Name) || !filepath.IsLocal(f.Name) || f.Table == "" || f.Name != c.fileName(&p) {
			return Manifest{}, withUsage(fmt.Errorf("%s names %q, which is not a file of rows in its folder", path, f.Name))
		}
	}
	return m, nil
}

// largestManifest limits the bytes of a manifest. Eight tables with MaxParts parts each need about
// 400 bytes for each file.
const largestManifest = 1 << 30

// readUpTo reads a regular file of at most most bytes.
func readUpTo(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > most:
		return nil, fmt.Errorf("it has %d bytes, and the limit of a manifest is %d", info.Size(), most)
	}
	return os.ReadFile(path)
}
