package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// Writer writes bundles.
type Writer struct {
	Resolver settings.Resolver
	Words    report.Words
	Version  string            // of Sledge
	Hosts    bool              // keep the names and addresses of machines
	Signer   ssh.Signer        // signs the bundle; nil for none
	Say      func(line string) // receives lines of progress
}

// Write writes a bundle of jobs that a repository has. It never contains secrets, because the
// repository has none.
func (b Writer) Write(ctx context.Context, w io.Writer, store *repository.Store, jobs []job.Job) error {
	m := Manifest{Schema: Schema, Made: time.Now().UTC().Truncate(time.Second), MadeBy: b.Version, Hidden: !b.Hosts, Jobs: jobs}
	names := newMask(nil)
	if m.Hidden {
		names = newMask(jobs)
	}
	z := archive{zip: zip.NewWriter(w), made: m.Made}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	if err := z.add(manifestName, names.json(append(text, '\n'))); err != nil {
		return err
	}
	for _, j := range jobs {
		if err := z.addFrom(recordName(j.ID), names, func(w io.Writer) error {
			return report.Export(ctx, w, store, j.ID, "json", b.Words, b.Say)
		}); err != nil {
			return err
		}
		if config := b.config(j.Spec, m.Hidden); config != "" {
			if err := z.add(configName(j.ID), names.plain([]byte(config))); err != nil {
				return err
			}
		}
	}
	return z.close(b.Signer)
}

func recordName(id job.ID) string { return string(id) + ".json" }
func configName(id job.ID) string { return string(id) + ".toml" }

// config returns the settings of a job as a configuration file, or "" if the spec does not stand by
// itself, for example because it names a file that is gone. Labels and the note belong to the job
// alone.
func (b Writer) config(spec job.Spec, hidden bool) string {
	spec.Labels, spec.Note = nil, ""
	if hidden {
		spec.Options = withoutAddresses(spec.Options, b.Resolver.Options())
	}
	order, err := b.Resolver.Order(spec)
	if err != nil {
		return ""
	}
	return b.Resolver.TOML(order)
}

func withoutAddresses(options option.Values, all []option.Description) option.Values {
	kept := options.Clone()
	for _, o := range all {
		if o.Address {
			delete(kept, o.Name)
		}
	}
	return kept
}

// archive is a zip file with the checksums of its members.
type archive struct {
	zip  *zip.Writer
	made time.Time
	sums bytes.Buffer
}

func (z *archive) add(name string, text []byte) error {
	return z.addFrom(name, nil, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// addFrom adds a member with the text that write writes, in which names are hidden unless they are
// nil.
func (z *archive) addFrom(name string, names *mask, write func(io.Writer) error) error {
	member, err := z.create(name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	to := io.MultiWriter(member, sum)
	if names != nil {
		hidden := names.writer(to)
		if err = write(hidden); err == nil {
			err = hidden.close()
		}
	} else {
		err = write(to)
	}
	if err != nil {
		return fmt.Errorf("write %s into the bundle: %w", name, err)
	}
	fmt.Fprintf(&z.sums, "%x  %s\n", sum.Sum(nil), name)
	return nil
}

func (z *archive) create(name string) (io.Writer, error) {
	w, err := z.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.made})
	if err != nil {
		err = fmt.Errorf("write %s into the bundle: %w", name, err)
	}
	return w, err
}

// put adds a member without a checksum.
func (z *archive) put(name string, text []byte) error {
	w, err := z.create(name)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write %s into the bundle: %w", name, err)
	}
	return nil
}

// close adds the checksums and their signature.
func (z *archive) close(signer ssh.Signer) error {
	if err := z.put(sumsName, z.sums.Bytes()); err != nil {
		return err
	}
	if signer != nil {
		text, err := sign(z.sums.Bytes(), signer)
		if err != nil {
			return fmt.Errorf("sign the bundle: %w", err)
		}
		if err := z.put(signatureName, text); err != nil {
			return err
		}
	}
	if err := z.zip.Close(); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}
