package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"sledge/internal/bundle"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// BundleCommand returns "sledge bundle", which writes runs into a file that others can verify.
func BundleCommand(p *program.Program) *cobra.Command {
	a := &archive{program: p}
	var output, key string
	var force, hosts bool
	c := &cobra.Command{
		Use:   "bundle NAME",
		Short: "Write runs into one file that others can verify, compare and repeat",
		Long: `Bundle writes runs with everything that is known about them into one zip file: settings with seeds,
versions and the checksum of the program, settings of the server and the machines, each second, all
histograms, the log, and the configuration file that repeats the run. Name the runs by a label
(set=a), by a performance profile (profile:3), or by IDs, separated by commas; or last.

The names and addresses of machines are replaced by others, such as machine1, unless you give
--hosts. Passwords are never in it, because Sledge does not record them.

With --sign, the bundle is signed by a private key of OpenSSH. sledge verify FILE recomputes the
numbers in a bundle, sledge compare FILE last compares its runs with others, and sledge rerun FILE
repeats them.`,
		Example: program.Examples(
			"sledge bundle last",
			"sledge bundle set=a --output set-a.sledge.zip --sign ~/.ssh/id_ed25519",
			"sledge bundle 6B02,6B04 --hosts",
		),
		GroupID: program.GroupResults,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return program.Usage("%s: name the runs: by a label (set=a), a profile (profile:3), or IDs, separated by commas", c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			w := bundle.Writer{Resolver: p.Resolver, Words: jobflags.WordsOf(p), Version: p.Version, Hosts: hosts, Say: a.say}
			if key != "" {
				var err error
				w.Signer, err = bundle.Signer(key, func() ([]byte, error) {
					if !p.StdinIsTerminal {
						return nil, errors.New("the key has a passphrase, which needs a terminal")
					}
					text, err := jobflags.AskPassword(p, "Passphrase of "+key+": ")
					return []byte(text), err
				})
				if err != nil {
					return program.Usage("--sign: %w", err)
				}
			}
			return a.with(func(store *repository.Store) error {
				jobs, err := document.RunsOf(ctx, store, args[0])
				if err != nil {
					return err
				}
				if output == "" {
					output = report.ShortID(string(jobs[0].ID)) + bundle.Extension
				}
				return a.writeBundle(ctx, store, w, jobs, output, force)
			})
		}),
	}
	flags := c.Flags()
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	flags.StringVar(&output, "output", "", "`file` to write (default: the first run's ID with "+bundle.Extension+")")
	flags.BoolVar(&force, "force", false, "overwrite an existing file")
	flags.BoolVar(&hosts, "hosts", false, "keep the names and addresses of machines")
	flags.StringVar(&key, "sign", "", "sign with the private key of OpenSSH in this `file`")
	return c
}

// writeBundle writes a bundle and verifies it, so that no file is left that would not pass.
func (a *archive) writeBundle(ctx context.Context, store *repository.Store, w bundle.Writer, jobs []job.Job, output string, force bool) error {
	for _, j := range jobs {
		if j.Status == job.Running {
			return job.WithExit(job.ExitUsage, fmt.Errorf("job %s is still running: wait for its end", j.ID))
		}
		if j.Origin != "" {
			return job.WithExit(job.ExitUsage, fmt.Errorf("job %s was recorded by %s, whose jobs have nothing to recompute", j.ID, j.Origin))
		}
	}
	var size int64
	err := writeNew(output, "output", force, func(file *os.File) error {
		done := a.program.WhenSlow("Writing the bundle")
		defer done()
		if err := w.Write(ctx, file, store, jobs); err != nil {
			return err
		}
		b, err := bundle.Read(file.Name())
		if err != nil {
			return err
		}
		if err := b.Verify(a.program.Resolver, a.program.Version).Err(); err != nil {
			return fmt.Errorf("%w. It was not kept. If the name of a machine is also a word of the record, --hosts keeps the names", err)
		}
		size, err = file.Seek(0, io.SeekEnd)
		return err
	})
	if err != nil {
		return err
	}
	hidden := "names and addresses of machines are hidden"
	if w.Hosts {
		hidden = "with the names and addresses of machines"
	}
	signed := ""
	if w.Signer != nil {
		signed = ", signed"
	}
	_, err = fmt.Fprintf(a.program.Stdout, "%s: %s, %s%s; %s\n", output, english.Plural(len(jobs), "run", ""), humanize.Bytes(uint64(size)), signed, hidden)
	return err
}

// VerifyCommand returns "sledge verify", which recomputes the numbers of a bundle.
func VerifyCommand(p *program.Program) *cobra.Command {
	a := &archive{program: p}
	var trusted string
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "Recompute the numbers in a bundle, and name those that are wrong",
		Long: `Verify reads a bundle that sledge bundle wrote, on any machine. It compares each part with its
checksum, checks the signature, and recomputes every number that follows from others: response
and service times from the histograms, counts from those of each second, NOPM and TPM from the
counts and times. It names each number that is wrong, with the right one.

A checksum shows a change, and a signature also shows who wrote the bundle: --trust names the keys
that you trust, in a file such as authorized_keys or allowed_signers of OpenSSH.

Exit codes: 0 the bundle holds; 4 something in it is wrong, or its key is not trusted. Errors have
the codes of all commands.`,
		Example: program.Examples(
			"sledge verify 6B02F1.sledge.zip",
			"sledge verify 6B02F1.sledge.zip --trust ~/.ssh/allowed_signers",
			"sledge verify 6B02F1.sledge.zip --json | jq '.jobs[].wrong'",
		),
		GroupID: program.GroupResults,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return program.Usage("%s: name one file that sledge bundle wrote", c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(_ context.Context, args []string) error {
			done := p.WhenSlow("Recomputing the numbers")
			b, err := bundle.Read(args[0])
			if err != nil {
				done()
				return err
			}
			v := b.Verify(p.Resolver, p.Version)
			done()
			var untrusted error
			if trusted != "" {
				if untrusted, err = trust(&v, b, trusted); err != nil {
					return program.Usage("--trust: %w", err)
				}
			}
			if a.json {
				err = p.PrintJSON(v)
			} else {
				err = v.Text(p.Stdout, report.View{Width: p.Width(), Look: p.StdoutLook})
			}
			return errors.Join(err, v.Err(), untrusted)
		}),
	}
	flags := c.Flags()
	flags.BoolVar(&a.json, "json", false, "print one JSON document")
	flags.StringVar(&trusted, "trust", "", "`file` with the public keys that you trust: fail if none of them signed the bundle")
	return c
}

// trust looks for the key of the signature in a file of trusted keys. untrusted says that it is not
// there.
func trust(v *bundle.Verification, b *bundle.Bundle, path string) (untrusted, err error) {
	if b.Signature == nil {
		return job.WithExit(job.ExitCheck, errors.New("the bundle is not signed")), nil
	}
	name, found, err := b.Signature.TrustedAs(path)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return job.WithExit(job.ExitCheck, fmt.Errorf("%s does not list the key of the signature, %s", path, b.Signature.Fingerprint)), nil
	}
	v.Signed.Name = name
	return nil, nil
}
