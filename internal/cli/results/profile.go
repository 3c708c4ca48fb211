package results

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/hammerdb/history"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
)

// ShowProfile prints the runs of a performance profile. profile is 0 if the runs are not recorded.
func ShowProfile(p *program.Program, profile int, runs []job.Job, asJSON bool) error {
	if asJSON {
		return p.PrintJSON(document.NewProfile(profile, runs, p.Headline))
	}
	if profile > 0 {
		fmt.Fprintf(p.Stdout, "\nPerformance profile %d\n", profile)
	}
	text := report.ProfileText(runs, p.Width())
	if profile > 0 {
		text += "\nsledge jobs show ID shows one of these runs in full.\n"
	}
	_, err := io.WriteString(p.Stdout, text)
	return err
}

func (a *archive) profileCommand() *cobra.Command {
	var hammerDB bool
	c := &cobra.Command{
		Use:   "profile [NUMBER...]",
		Short: "List, show or compare performance profiles",
		Long: `Profile lists the performance profiles. A profile is a series of runs with different numbers of
virtual users. Given its number, profile shows it as a table of its runs and a chart of NOPM and TPM
over virtual users. Given several numbers, it compares the profiles: their figures by number of
virtual users, and the settings and servers that differ.`,
		Example: program.Examples("sledge jobs profile", "sledge jobs profile 3", "sledge jobs profile 3 4", "sledge jobs profile 3 --json | jq '.runs[].metrics'"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 && hammerDB {
				return program.Usage("--hammerdb: give the number of one profile")
			}
			return nil
		},
		ValidArgsFunction: a.completeProfiles,
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			return a.with(func(store *repository.Store) error {
				switch {
				case len(args) == 0:
					return a.listProfiles(ctx, store)
				case len(args) > 1:
					return a.compareProfiles(ctx, store, args)
				}
				return a.profile(ctx, store, args[0], hammerDB)
			})
		}),
	}
	addHammerDB(c.Flags(), &hammerDB)
	return c
}

func (a *archive) listProfiles(ctx context.Context, store *repository.Store) error {
	profiles, err := store.Profiles(ctx)
	if err != nil {
		return err
	}
	heads := []document.ProfileHead{}
	for _, n := range profiles {
		runs, err := store.List(ctx, repository.Query{Profile: n})
		if err != nil {
			return err
		}
		heads = append(heads, document.NewProfileHead(n, views.OldestFirst(runs)))
	}
	if a.json {
		return a.program.PrintJSON(document.Profiles{Schema: document.ProfilesSchema, Profiles: heads})
	}
	if len(heads) == 0 {
		_, err := fmt.Fprintln(a.program.Stdout, "There are no performance profiles yet: sledge run --users 1,2,4 creates one.")
		return err
	}
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "Profile", Left: true},
		{Head: "Runs", Left: true, Rank: 2},
		{Head: "Begun", Left: true, Short: shortTime},
		{Head: "Database", Left: true, Rank: 1},
		{Head: "Best NOPM", Left: true},
		{Head: "with users", Left: true},
	}}
	for _, h := range heads {
		t.Row(strconv.Itoa(h.Profile), strconv.Itoa(h.Runs), h.Begun.Local().Format(time.DateTime), h.Database, humanize.Comma(int64(h.BestNOPM)), strconv.Itoa(h.Users))
	}
	return a.program.PrintTable(t)
}

func (a *archive) compareProfiles(ctx context.Context, store *repository.Store, words []string) error {
	var numbers []int
	for _, word := range words {
		n, err := profileNumber(word)
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	c, err := document.NewProfileComparison(ctx, store, a.program.Resolver, numbers, a.program.Headline)
	if err != nil {
		return err
	}
	if a.json {
		return a.program.PrintJSON(c)
	}
	return c.Text(a.program.Stdout, report.View{Width: a.program.Width(), Look: a.program.StdoutLook})
}

// profileNumber reads the number of a performance profile.
func profileNumber(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return 0, program.Usage("%q is not the number of a performance profile: sledge jobs profile lists them", word)
	}
	return n, nil
}

func (a *archive) profile(ctx context.Context, store *repository.Store, word string, hammerDB bool) error {
	n, err := profileNumber(word)
	if err != nil {
		return err
	}
	runs, err := document.RunsOfProfile(ctx, store, n)
	if err != nil {
		return err
	}
	if hammerDB {
		return a.program.PrintJSON(views.Results(runs, a.program.Resolver.Catalog))
	}
	return ShowProfile(a.program, n, runs, a.json)
}

// completeProfiles completes the number of a performance profile.
func (a *archive) completeProfiles(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	const only = cobra.ShellCompDirectiveNoFileComp
	var words []string
	_ = a.with(func(store *repository.Store) error { // without a repository there is nothing to complete
		profiles, err := store.Profiles(c.Context())
		for _, n := range profiles {
			words = append(words, strconv.Itoa(n))
		}
		return err
	})
	return words, only
}

func (a *archive) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Import the jobs that HammerDB recorded",
		Long: `Import copies jobs from hammer.DB, the file in which HammerDB records its jobs: their IDs, output,
counts and timings, but not passwords. It changes neither the file nor jobs that were imported
before.`,
		Example: program.Examples("sledge jobs import /opt/hammerdb/TMP/hammer.DB", "sledge jobs import hammer.DB --repo team.db"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return program.Usage("%s: name the file to import: HammerDB's hammer.DB", c.CommandPath())
			}
			return nil
		},
		RunE: a.program.Body(func(ctx context.Context, args []string) error {
			return a.change(func(store *repository.Store) error { return a.importFrom(ctx, store, args[0]) })
		}),
	}
}

func (a *archive) importFrom(ctx context.Context, store *repository.Store, path string) error {
	ready := a.program.WhenSlow("Importing the jobs in %s", path)
	done, err := history.Import(ctx, store, path)
	ready()
	return a.sayImported(done, err)
}
