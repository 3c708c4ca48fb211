package console

import (
	"context"
	"fmt"
	"strconv"

	"sledge/internal/job"
	"sledge/internal/settings"
)

// schemaCommands are the commands that build, check and delete the schema.
func schemaCommands() []command {
	return []command{
		{
			name: "buildschema", usage: "buildschema [resume]",
			help:  "Builds the schema of the chosen benchmark with the number of virtual users in the dictionary, waits until it is complete, and returns \"Schema Build jobid=ID\". With resume, it continues an interrupted build.",
			takes: varies, run: buildschema,
		},
		{
			name: "checkschema", usage: "checkschema",
			help: "Checks that the schema is complete and its data are consistent, and returns \"Schema Check jobid=ID\".",
			run: func(c *Console, ctx context.Context, _ Call) (string, error) {
				return c.oneUserJob(ctx, job.Check, "Checking", "check")
			},
		},
		{
			name: "deleteschema", usage: "deleteschema",
			help: "Deletes the schema, and its database and user if they hold nothing else, and returns \"Schema Delete jobid=ID\".",
			run: func(c *Console, ctx context.Context, _ Call) (string, error) {
				return c.oneUserJob(ctx, job.Delete, "Deleting", "delete")
			},
		},
	}
}

func buildschema(c *Console, ctx context.Context, call Call) (string, error) {
	resume := len(call.Args) == 1 && call.Args[0] == "resume"
	if len(call.Args) > 0 && !resume {
		return "", usageError(call.Name)
	}
	order, err := c.prepare(job.Build, resume)
	if err != nil {
		return "", err
	}
	plan := order.Plan
	b := c.book.Benchmark()
	builders, size := plan.Workload.Schema.Builders(plan.Settings), c.book.Value(b.Size)
	users := builders
	if builders == 1 {
		c.out.printf("Building %s with 1 Virtual User", fmt.Sprintf(b.Alone, size))
	} else {
		users++
		c.out.printf("Building %s with %d Virtual Users, %d active + 1 Monitor VU(dict value %s is set to %d)",
			fmt.Sprintf(b.Together, size), users, builders, c.book.Key(b.Builders), builders)
	}
	c.confirm(fmt.Sprintf("Ready to create a %s %s %s schema\nin %s?",
		fmt.Sprintf(b.Asked, size), plan.Database.Title, plan.Workload.Title, plan.Database.Options.Target(plan.Connection)))
	return c.doWith(ctx, order, users)
}

// oneUserJob runs a job that has one virtual user.
func (c *Console) oneUserJob(ctx context.Context, action job.Action, doing, verb string) (string, error) {
	order, err := c.prepare(action, false)
	if err != nil {
		return "", err
	}
	plan := order.Plan
	c.out.printf("%s schema with 1 Virtual User", doing)
	c.confirm(fmt.Sprintf("Do you want to %s the %s schema\nin %s?", verb, plan.Workload.Title, plan.Database.Options.Target(plan.Connection)))
	return c.doWith(ctx, order, 1)
}

// prepare checks the requirements of a job on the schema before anything is changed. With resume, a
// build continues an interrupted one.
func (c *Console) prepare(action job.Action, resume bool) (settings.Order, error) {
	if c.users.exist() {
		return settings.Order{}, fail("Error: Cannot %s schema with Virtual Users active, destroy Virtual Users first", action)
	}
	spec := c.spec(action)
	spec.Resume = resume
	if name := c.book.Benchmark().Size; action == job.Check && name != "" {
		// The spec has only settings that differ from the default, and a check compares only those.
		spec.Options[name] = c.book.Value(name)
	}
	if action == job.Build {
		if err := c.checkBuilders(); err != nil {
			return settings.Order{}, err
		}
	}
	order, err := c.order(spec)
	for _, warning := range order.Warnings {
		c.out.print("Warning: " + warning)
	}
	return order, err
}

// checkBuilders refuses more builders than units, in HammerDB's words, if each needs one.
func (c *Console) checkBuilders() error {
	b := c.book.Benchmark()
	builders, errBuilders := strconv.Atoi(c.book.Value(b.Builders))
	units, errUnits := strconv.Atoi(c.book.Value(b.Size))
	if !b.UnitEach || errBuilders != nil || errUnits != nil || builders <= units {
		return nil
	}
	return fail("Error:Build virtual users must be less than or equal to number of %s\nYou have %d virtual users building %d %s",
		b.Unit, builders, units, b.Unit)
}

// confirm prints a question of HammerDB's windows with its answer, because scripts expect both.
func (c *Console) confirm(question string) {
	c.out.print(question + "\nEnter yes or no: replied yes")
}

// doWith runs a job on the schema with virtual users that exist only for this job.
func (c *Console) doWith(ctx context.Context, order settings.Order, users int) (string, error) {
	c.clearScript()
	c.users.create(users)
	c.out.print(created(users, firstCreated))
	defer c.users.create(0)
	return c.do(ctx, order)
}
