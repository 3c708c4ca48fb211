package console

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/hammerdb/history"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

const jobsHelp = `Shows the jobs of the repository.
jobs: tables of all jobs, the newest first; at a prompt, of those that fit the terminal.
jobs limit <n>: tables of the newest n jobs; 0 is all.
jobs joblist: returns the ids of all jobs, the oldest first.
jobs result: the results of all jobs. jobs timestamp: when each began.
jobs format [ text | JSON ]: how jobs are printed from now on.
jobs disable [ 0 | 1 ]: whether jobs are kept.
jobs profileid [ <n> | all ]: shows or sets the performance profile that runs belong to (0 for none), or lists all profiles.
jobs profile <n> [ table ]: the results of a profile's runs; as a table with a chart.
jobs diff <base> <compared> [ true | false ]: compares two profiles, weighted by virtual users for each core if true, and returns the ratio.
jobs import <path>: takes over the jobs of a hammer.DB that HammerDB kept.
jobs <id>: what the virtual users put out. jobs <id> <n>: what virtual user n put out.
jobs <id> [ status | result | timing | tcount | metrics | system | dict | db | bm | timestamp ]: that part of the job.
jobs <id> timing <n>: prints and returns how long the transactions of virtual user n took, where it was run with a time profile, and how long its queries did.
jobs <id> getchart [ result | timing | tcount | metrics ], jobs <n> getchart [ profile | diff:<m> ]: returns a page of HTML with that chart of the job, of profile n, or of profiles n and m, for a script to write to a file.
jobs <id> save: writes a report as JSON into the temporary folder. jobs <id> delete: removes the job.`

func jobsCommands() []command {
	both := command{
		name: "jobs", help: jobsHelp, takes: varies, run: jobs,
		usage: "[ jobs | jobs limit <n> | jobs joblist | jobs result | jobs timestamp | jobs format <fmt> | jobs disable <0|1> | jobs profileid <n|all> | jobs profile <n> | " +
			"jobs diff <base> <compared> | jobs import <path> | jobs <id> | jobs <id> <n> | jobs <id> <part> | jobs <id> timing <n> | jobs <id> getchart <chart> ]",
	}
	alias := both
	alias.name = "job"
	return []command{both, alias}
}

// jobsUsage is HammerDB's message for a wrong call of jobs.
func jobsUsage() error {
	return fail("Error: Usage: %s - type \"help jobs\"", jobsCommands()[0].usage)
}

// commandLine is the generic section with the settings of jobs.
const commandLine = "commandline"

// openRepository is the open job repository. It stays open until its setting changes.
type openRepository struct {
	store *repository.Store
	path  string // the path that was passed to OpenStore
}

// Repository returns the path of the job repository from the setting sqlite_db, or "" for the
// default path. It returns false if jobs are not kept.
func (c *Console) Repository() (path string, kept bool) {
	path = c.book.Generic(commandLine, "sqlite_db")
	if path == "TMP" || path == "TEMP" {
		path = "" // results do not belong in HammerDB's temporary folder
	}
	return path, !c.book.GenericFlag(commandLine, "jobs_disable")
}

// jobsStore returns the job repository, or nil if jobs are not kept. It opens the repository at the
// first use.
func (c *Console) jobsStore() (*repository.Store, error) {
	path, kept := c.Repository()
	if !kept {
		return nil, nil
	}
	if c.repository.store != nil && c.repository.path == path {
		return c.repository.store, nil
	}
	if err := c.repository.close(); err != nil {
		return nil, err
	}
	store, err := c.OpenStore(path)
	if err != nil {
		return nil, err
	}
	c.repository = openRepository{store, path}
	return store, nil
}

func (r *openRepository) close() error {
	if r.store == nil {
		return nil
	}
	err := r.store.Close()
	r.store = nil
	return err
}

// show prints a view in the chosen format.
func (c *Console) show(v views.View) {
	if c.book.Generic(commandLine, "jobsoutput") == "JSON" {
		c.out.printWhole(v.JSON())
		return
	}
	if text := v.Text(); text != "" {
		c.out.print(text)
	}
}

// answer implements one form of the command jobs. It gets the words after the form's name.
type answer func(c *Console, ctx context.Context, store *repository.Store, call Call, words []string) (string, error)

// form is a form of the command jobs that does not concern a single job. The first word selects it.
type form struct {
	least, most int // words after the first
	do          answer
}

// anyNumber marks forms that check the number of their words themselves.
const anyNumber = math.MaxInt

func forms() map[string]form {
	return map[string]form{
		"limit":     {1, 1, jobsLimit},
		"--limit":   {1, 1, jobsLimit}, // as in sledge jobs
		"joblist":   {0, 0, joblist},
		"result":    {0, 0, allJobs(func(c *Console, jobs []job.Job) views.View { return views.Results(jobs, c.Resolver.Catalog) })},
		"timestamp": {0, 0, allJobs(func(_ *Console, jobs []job.Job) views.View { return views.Timestamps(jobs...) })},
		"format":    {0, anyNumber, jobsFormat}, // has its own usage error
		"profileid": {0, 1, profileID},
		"profile":   {1, 2, jobsProfile},
		"diff":      {0, anyNumber, jobsDiff}, // returns a result even with wrong arguments
		"import":    {1, 1, jobsImport},
		"cireset": {0, 0, func(*Console, context.Context, *repository.Store, Call, []string) (string, error) {
			return "", fail("Error: jobs cireset belongs to pipelines, which are not built into Sledge yet")
		}},
	}
}

func jobs(c *Console, ctx context.Context, call Call) (string, error) {
	words := call.Args
	if len(words) > 0 && words[0] == "disable" {
		return "", c.jobsDisable(words[1:])
	}
	store, err := c.jobsStore()
	if err != nil {
		return "", err
	}
	if store == nil {
		return "", fail(`Error: Jobs Disabled: enable with command "jobs disable 0" and restart HammerDB`)
	}
	if len(words) == 0 {
		return "", c.showJobs(ctx, store, c.roomForJobs())
	}
	if f, ok := forms()[words[0]]; ok {
		words = words[1:]
		if len(words) < f.least || len(words) > f.most {
			return "", jobsUsage()
		}
		return f.do(c, ctx, store, call, words)
	}
	return c.oneJob(ctx, store, words)
}

// roomForJobs returns the default number of jobs to show: as many as fit the terminal, or 0 for all
// in a script.
func (c *Console) roomForJobs() int {
	if c.Height == nil {
		return 0
	}
	const least, others = 5, 10 // lines besides the jobs: headings of two tables, hint, prompt
	return max(least, c.Height()-others)
}

func (c *Console) showJobs(ctx context.Context, store *repository.Store, limit int) error {
	all, err := store.List(ctx, repository.Query{})
	if err != nil {
		return err
	}
	c.out.print(views.Table(all, c.Resolver.Catalog, store.Path(), c.width(), limit))
	if limit > 0 && len(all) > limit {
		c.out.printf("\nThe newest %d of %d jobs: jobs limit 0 shows all", limit, len(all))
	}
	return nil
}

func jobsLimit(c *Console, ctx context.Context, store *repository.Store, _ Call, words []string) (string, error) {
	limit, err := strconv.Atoi(words[0])
	if err != nil || limit < 0 {
		return "", fail("Error: jobs limit: %q is not a number of jobs: 20 shows the newest 20, and 0 all", words[0])
	}
	return "", c.showJobs(ctx, store, limit)
}

func formatUsage() error { return fail("Error: Usage: jobs format [ text | JSON ]") }

// jobsDisable prints HammerDB's line, but takes effect at once.
func (c *Console) jobsDisable(words []string) error {
	if len(words) != 1 || words[0] != "0" && words[0] != "1" {
		return fail("Error: Usage: jobs disable [ 0 | 1 ]")
	}
	if err := c.setGeneric(commandLine, "jobs_disable", words[0]); err != nil {
		return fail("Error: %v", err)
	}
	doing := "Enabling"
	if words[0] == "1" {
		doing = "Disabling"
	}
	c.out.printf("%s jobs repository, which takes effect at once", doing)
	return nil
}

func jobsFormat(c *Console, _ context.Context, _ *repository.Store, _ Call, words []string) (string, error) {
	if len(words) != 1 {
		return "", formatUsage()
	}
	err := c.setGeneric(commandLine, "jobsoutput", words[0])
	if _, wrong := errors.AsType[*dictionaries.ValueError](err); wrong {
		return "", formatUsage()
	}
	if err != nil {
		return "", fail("Error: %v", err)
	}
	c.out.printf("Setting jobs output format to %s", c.book.Generic(commandLine, "jobsoutput"))
	return "", nil
}

func joblist(_ *Console, ctx context.Context, store *repository.Store, _ Call, _ []string) (string, error) {
	all, err := store.List(ctx, repository.Query{})
	var ids []string
	for _, j := range views.OldestFirst(all) {
		ids = append(ids, string(j.ID))
	}
	return strings.Join(ids, " "), err
}

// allJobs shows a view of all jobs, the oldest first.
func allJobs(view func(c *Console, jobs []job.Job) views.View) answer {
	return func(c *Console, ctx context.Context, store *repository.Store, _ Call, _ []string) (string, error) {
		all, err := store.List(ctx, repository.Query{})
		if err != nil {
			return "", err
		}
		c.show(view(c, views.OldestFirst(all)))
		return "", nil
	}
}

func profileID(c *Console, ctx context.Context, store *repository.Store, _ Call, words []string) (string, error) {
	switch {
	case len(words) == 0:
		c.out.printf("Performance profile id set to %s", c.book.Generic(commandLine, "jobs_profile_id"))
		return "", nil
	case words[0] == "all":
		used, err := store.Profiles(ctx)
		if err != nil {
			return "", err
		}
		if len(used) == 0 {
			c.out.print("No performance profiles found")
			return "", nil
		}
		c.show(views.ProfileNumbers(used))
		return "", nil
	}
	n, err := number(words[0])
	if err != nil {
		return "", err
	}
	if err := c.setGeneric(commandLine, "jobs_profile_id", strconv.Itoa(n)); err != nil {
		return "", fail("Error: %v", err)
	}
	c.out.printf("Setting performance profile id to %d", n)
	return "", nil
}

// number parses the number of a performance profile.
func number(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, fail("Error: Performance profile id should be an integer")
	}
	return n, nil
}

// profileJobs returns the runs of a performance profile, the oldest first.
func profileJobs(ctx context.Context, store *repository.Store, word string) ([]job.Job, error) {
	n, err := number(word)
	if err != nil {
		return nil, err
	}
	var list []job.Job
	if n != 0 { // in a query 0 would select the jobs of all profiles
		if list, err = store.List(ctx, repository.Query{Profile: n}); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, failWith(job.ExitMissing, "Error: No jobs found with performance profile id of %d", n)
	}
	return views.OldestFirst(list), nil
}

func jobsProfile(c *Console, ctx context.Context, store *repository.Store, _ Call, words []string) (string, error) {
	list, err := profileJobs(ctx, store, words[0])
	if err != nil {
		return "", err
	}
	switch {
	case len(words) == 1:
		c.show(views.Results(list, c.Resolver.Catalog))
	case words[1] == "table":
		c.out.print(strings.TrimRight(report.ProfileText(list, c.width()), "\n"))
	default:
		return "", jobsUsage()
	}
	return "", nil
}

// notCompared is the result of jobs diff without a ratio.
const notCompared = "null"

func jobsDiff(c *Console, ctx context.Context, store *repository.Store, _ Call, words []string) (string, error) {
	if len(words) < 2 || len(words) > 3 {
		return notCompared, jobsUsage()
	}
	var weighted bool
	if len(words) == 3 {
		var err error
		if weighted, err = strconv.ParseBool(words[2]); err != nil {
			return notCompared, jobsUsage()
		}
	}
	base, err := profileJobs(ctx, store, words[0])
	if err != nil {
		return notCompared, err
	}
	compared, err := profileJobs(ctx, store, words[1])
	if err != nil {
		return notCompared, err
	}
	processors, err := processorsOf(ctx, store, base)
	if err != nil {
		return notCompared, err
	}
	comparison, ok := views.Compare(base, compared, weighted, processors)
	if !ok {
		return notCompared, fail("Error: Not enough overlapping Active VU points to compare")
	}
	c.out.print(strings.Join(comparison.Lines, "\n"))
	return comparison.String(), nil
}

// processorsOf returns the number of logical processors of the first job whose machine is known, or
// 0.
func processorsOf(ctx context.Context, store *repository.Store, jobs []job.Job) (int, error) {
	for _, j := range jobs {
		if j.Facts != nil {
			if _, machine := views.Machine(*j.Facts); machine.CPUs > 0 {
				return machine.CPUs, nil
			}
		}
		details, err := store.ImportDetails(ctx, j.ID)
		if err != nil {
			return 0, err
		}
		for _, s := range details.System {
			if n, err := strconv.Atoi(s.Value); err == nil && s.Name == "cpucount" && n > 0 {
				return n, nil
			}
		}
	}
	return 0, nil
}

func jobsImport(c *Console, ctx context.Context, store *repository.Store, call Call, words []string) (string, error) {
	path := inFolder(call.Folder, words[0])
	done, err := history.Import(ctx, store, path)
	for _, warning := range done.Warnings {
		c.out.print("Warning: " + warning)
	}
	if err != nil {
		return "", failWith(job.ExitOf(err), "Error: %v", err)
	}
	c.out.printf("Imported %d jobs from %s, %d were there already", len(done.Added), path, done.Present)
	return "", nil
}
