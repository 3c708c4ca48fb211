package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/hammerdb/parts"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// source returns the source of a job's parts.
func (c *Console) source(store *repository.Store) parts.Source {
	return parts.Source{Store: store, Catalog: c.Resolver.Catalog}
}

// oneJob runs the forms of the command jobs that begin with the ID of a job.
func (c *Console) oneJob(ctx context.Context, store *repository.Store, words []string) (string, error) {
	if len(words) > 1 && words[1] == "getchart" {
		return c.chart(ctx, store, words)
	}
	if len(words) > 3 || len(words) == 3 && words[1] != "timing" {
		return "", jobsUsage()
	}
	j, err := findJob(ctx, store, words)
	if err != nil {
		return "", err
	}
	if len(words) == 1 {
		view, _, err := c.source(store).Lines(ctx, j, -1)
		if err != nil {
			return "", err
		}
		c.show(view)
		return "", nil
	}
	if len(words) == 3 {
		return c.userTiming(ctx, store, j, words[2])
	}
	if n, err := strconv.Atoi(words[1]); err == nil {
		return "", c.userOutput(ctx, store, j, n)
	}
	switch words[1] {
	case "delete":
		return "", c.deleteJob(ctx, store, j, words[0])
	case "save":
		return "", c.saveJob(ctx, store, j)
	}
	if !parts.Is(words[1]) {
		return "", jobsUsage()
	}
	view, err := c.source(store).Of(ctx, j, words[1])
	if err != nil {
		return "", err
	}
	c.show(view)
	return "", nil
}

// chart returns a page with a chart of a job or a profile. As in HammerDB, it is returned to the
// script, not printed.
func (c *Console) chart(ctx context.Context, store *repository.Store, words []string) (string, error) {
	if len(words) != 3 {
		return "", jobsUsage()
	}
	kind, other, ofTwo := strings.Cut(words[2], ":")
	switch {
	case kind == "profile" && !ofTwo:
		runs, err := profileJobs(ctx, store, words[0])
		if err != nil {
			return "", err
		}
		n, err := number(words[0])
		if err != nil {
			return "", err
		}
		return charted(views.ProfileChart(n, runs))
	case kind == "diff" && ofTwo:
		base, err := profileJobs(ctx, store, words[0])
		if err != nil {
			return "", err
		}
		compared, err := profileJobs(ctx, store, other)
		if err != nil {
			return "", err
		}
		old, err := number(words[0])
		if err != nil {
			return "", err
		}
		latest, err := number(other)
		if err != nil {
			return "", err
		}
		return charted(views.ProfilesChart(old, latest, base, compared))
	case ofTwo || !slices.Contains(views.ChartKinds, kind):
		return "", fail("Error: jobs getchart: %q is not a chart: a job has %s, a profile has profile and diff:<profile>", words[2], strings.Join(views.ChartKinds, ", "))
	}
	j, err := findJob(ctx, store, words)
	if err != nil {
		return "", err
	}
	return charted(views.JobChart(ctx, store, j, kind, c.Resolver.Catalog))
}

// charted returns the page of a chart, or an error with its exit code.
func charted(page string, err error) (string, error) {
	if err != nil {
		return "", failWith(job.ExitOf(err), "%v", err)
	}
	return page, nil
}

// findJob finds the job that the first word names. The word may also be the result of vurun. As in
// HammerDB, an ID may be any word.
func findJob(ctx context.Context, store *repository.Store, words []string) (job.Job, error) {
	id := words[0]
	if _, after, ok := strings.Cut(id, "jobid="); ok {
		id = after
	}
	j, err := store.Get(ctx, job.ID(id))
	switch code := job.ExitOf(err); {
	case err == nil:
		return j, nil
	case errors.Is(err, repository.ErrNotFound) && len(words) > 1 && words[1] == "save":
		return j, failWith(code, "Error: Jobid %s does not exist", id)
	case errors.Is(err, repository.ErrNotFound):
		return j, failWith(code, "Jobid %s does not exist", id)
	case code == job.ExitUsage:
		hint := ""
		if meant := option.Nearest(id, slices.Collect(maps.Keys(forms()))); meant != "" {
			hint = ", did you mean jobs " + meant + "?"
		}
		return j, failWith(job.ExitMissing, "Jobid %s does not exist%s", id, hint)
	}
	return j, err
}

// userOutput prints the output of one virtual user.
func (c *Console) userOutput(ctx context.Context, store *repository.Store, j job.Job, user int) error {
	view, found, err := c.source(store).Lines(ctx, j, max(user, 0))
	if err != nil {
		return err
	}
	if !found || user < 0 {
		return failWith(job.ExitMissing, "Jobid %s for virtual user %d does not exist", j.ID, user)
	}
	c.show(view)
	return nil
}

// userTiming prints the response times of one virtual user and returns them to the script, because
// some versions of HammerDB print them and others return them.
func (c *Console) userTiming(ctx context.Context, store *repository.Store, j job.Job, word string) (string, error) {
	user, err := strconv.Atoi(strings.TrimPrefix(word, "vu="))
	if err != nil {
		return "", jobsUsage()
	}
	view, found, err := c.source(store).TimingOf(ctx, j, user)
	if err != nil {
		return "", err
	}
	text := views.NoTiming(j, user)
	switch {
	case found && c.book.Generic(commandLine, "jobsoutput") == "JSON":
		text = view.JSON()
	case found:
		text = view.Text()
	}
	if !c.ShowsResults {
		c.out.print(text)
	}
	return text, nil
}

// deleteJob deletes a job. Like HammerDB it does not ask for confirmation, so it requires the whole
// ID.
func (c *Console) deleteJob(ctx context.Context, store *repository.Store, j job.Job, word string) error {
	if !strings.HasSuffix(word, string(j.ID)) {
		return fail("Error: jobs delete takes the whole id, which is %s", j.ID)
	}
	if err := store.Delete(ctx, j.ID); err != nil {
		return failWith(job.ExitOf(err), "Error: %v", err)
	}
	c.out.printf("Deleted Jobid %s", j.ID)
	if err := store.GiveBack(ctx); err != nil { // the job is deleted already
		c.out.printf("Warning: %v", err)
	}
	return nil
}

func (c *Console) saveJob(ctx context.Context, store *repository.Store, j job.Job) error {
	view, err := c.source(store).Artifact(ctx, j)
	if err != nil {
		return err
	}
	path := filepath.Join(TempDir(c.Environ), fmt.Sprintf("hdb_%s.json", j.ID))
	if err := writeOurs(path, view.JSON()+"\n", 0o600); err != nil {
		return failWith(job.ExitError, "Error: write the report of job %s: %v", j.ID, err)
	}
	c.out.printf("Saved job report JSON to %s", path)
	return nil
}
