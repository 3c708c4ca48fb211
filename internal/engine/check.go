package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// rowsShown is the maximum number of violating rows that a check shows per rule.
const rowsShown = 10

// check checks that the schema is complete and its data obey the workload's rules.
func check(ctx context.Context, j plan.Job, f *feed.Feed) (job.Result, error) {
	session, err := target.ConnectSteady(ctx, j)
	if err != nil {
		return job.Result{}, err
	}
	defer session.Close()
	if err := target.SayServer(ctx, j, session, f); err != nil {
		return job.Result{}, err
	}
	f.Step(job.Monitor, j.StepOf(job.StepCheck))
	f.Step(job.Monitor, job.Step{Name: job.StepCheckDatabase})
	j, st, err := target.FindSchema(ctx, j, session)
	if err != nil {
		return job.Result{}, noSchema(j, err)
	}
	var seen workload.Inspection
	if j.Workload.Schema.Inspect != nil {
		look := st.Look(j, session)
		look.Progress = func(what string, done, total int64) {
			f.Send(job.Event{Progress: &job.Progress{Step: "check", Detail: what, Done: done, Total: total, Unit: "orders"}})
		}
		if seen, err = j.Workload.Schema.Inspect(ctx, look); err != nil {
			return job.Result{}, fmt.Errorf("inspect the schema: %w", err)
		}
	}
	if wanted, err := strconv.ParseFloat(j.Spec.Options[j.Workload.Schema.Size.Option], 64); err == nil && wanted > 0 && seen.Size > 0 {
		seen.Findings = append(seen.Findings, checkSize(j, wanted, seen.Size))
	}
	c := audit{
		job: j, feed: f, session: session,
		findings: []job.Finding{{Rule: "structure", Title: "every table and column is there", Holds: true}},
		total:    1 + len(seen.Findings) + len(j.Workload.Schema.Rules),
	}
	if err := foresee(ctx, j, session, f); err != nil {
		return job.Result{}, err
	}
	f.Step(job.Monitor, job.Step{Name: job.StepCheckTables})
	isOfTables := func(r workload.Rule) bool { return r.Begins == "" }
	if err := c.rules(ctx, isOfTables, ""); err != nil {
		return job.Result{SchemaWork: job.SchemaWork{Findings: c.findings}}, err
	}
	if j.Workload.Schema.Inspect != nil && j.SQL.Has("routines") {
		f.Step(job.Monitor, job.Step{Name: job.StepCheckRoutines, Kind: j.Routines()})
	}
	c.findings = append(c.findings, seen.Findings...)
	err = c.rules(ctx, func(r workload.Rule) bool { return !isOfTables(r) }, seen.Foreign)
	result := job.Result{SchemaWork: job.SchemaWork{Findings: c.findings}}
	if err != nil {
		return result, err
	}
	c.progress("")
	var broken []job.Finding
	for _, finding := range result.Findings {
		if !finding.Holds && finding.Excuse == "" {
			broken = append(broken, finding)
		}
	}
	if len(broken) > 0 {
		err := fmt.Errorf("%d of %d rules do not hold in %s", len(broken), len(result.Findings), j.Target())
		return result, job.WithExit(job.ExitCheck, &checkError{err, job.Trouble{Schema: j.StepOf(job.StepCheck).Of, Broken: &broken[0]}})
	}
	ended := j.StepOf(job.StepCheck)
	ended.Stage = job.Ends
	f.Step(job.Monitor, ended)
	return result, nil
}

// foresee passes the queries of a check to the database, which may copy rows for them in advance.
func foresee(ctx context.Context, j plan.Job, s database.Session, f *feed.Feed) error {
	if j.Schema.Foresee == nil {
		return nil
	}
	var statements []string
	for _, rule := range j.Workload.Schema.Rules {
		q, err := j.SQL.Query(queryOf(rule))
		if err != nil {
			return err
		}
		statements = append(statements, q.Text)
	}
	err := j.Schema.Foresee(ctx, s, statements, func(done, total int64) {
		f.Send(job.Event{Progress: &job.Progress{Step: "copy", Detail: "read the rows to check", Done: done, Total: total, Unit: "keys"}})
	})
	if err != nil {
		return fmt.Errorf("copy the rows to check: %w", err)
	}
	return nil
}

// queryOf names the query of a rule.
func queryOf(rule workload.Rule) string { return "check." + rule.Name }

// checkError is the error of a check, with the part of the schema that is its reason.
type checkError struct {
	error
	trouble job.Trouble
}

// Trouble returns the part of the schema that is the reason.
func (e *checkError) Trouble() job.Trouble { return e.trouble }

func (e *checkError) Unwrap() error { return e.error }

// noSchema gives an error its exit code if it means that there is no schema to check.
func noSchema(j plan.Job, err error) error {
	if job.ExitOf(err) != job.ExitMissing {
		return err
	}
	return &checkError{err, job.Trouble{Schema: j.StepOf(job.StepCheck).Of, NoSchema: true}}
}

// sizeRule names the finding about the size of a schema.
const sizeRule = "size"

// leastSize is less than the difference between any two sizes. A requested size may be a fraction
// so small that the smallest table does not get another row.
const leastSize = 0.99e-4

func spellSize(size float64) string { return strconv.FormatFloat(size, 'f', -1, 64) }

// checkSize compares the size of the schema with the size in the spec, both as Schema.Size counts
// them.
func checkSize(j plan.Job, wanted, size float64) job.Finding {
	finding := job.Finding{
		Rule: sizeRule, Title: fmt.Sprintf("there are as many %s as %s says", j.Workload.Schema.Size.Unit, j.Spec.Names.Of(j.Workload.Schema.Size.Option)),
		Holds: math.Abs(size-wanted) < leastSize,
	}
	if !finding.Holds {
		finding.Columns, finding.Rows = []string{"there are", "there should be"}, [][]string{{spellSize(size), spellSize(wanted)}}
	}
	return finding
}

// audit is a running check.
type audit struct {
	job      plan.Job
	feed     *feed.Feed
	session  database.Session
	findings []job.Finding
	total    int // number of findings at the end
}

// progress emits the progress of the check and the title of the next rule.
func (c *audit) progress(next string) {
	c.feed.Send(job.Event{Progress: &job.Progress{
		Step: "check", Detail: next, Done: int64(len(c.findings)), Total: int64(c.total), Unit: "rules",
	}})
}

// rules checks the chosen rules. foreign is the program that built the schema, or "" for Sledge or
// an unknown program.
func (c *audit) rules(ctx context.Context, chosen func(workload.Rule) bool, foreign string) error {
	for _, rule := range c.job.Workload.Schema.Rules {
		if !chosen(rule) {
			continue
		}
		if rule.Begins != "" {
			c.feed.Step(job.Monitor, job.Step{Name: job.StepCheckRule, Of: rule.Begins})
		}
		c.progress(rule.Title)
		finding, err := checkRule(ctx, c.job, c.session, rule, foreign)
		if err != nil {
			return err
		}
		if finding.Cause != "" {
			c.feed.Message(job.Monitor, "Check %s: %s", cmp.Or(rule.Begins, rule.Name), finding.Cause)
		}
		c.findings = append(c.findings, finding)
	}
	return nil
}

func checkRule(ctx context.Context, j plan.Job, s database.Session, rule workload.Rule, foreign string) (job.Finding, error) {
	finding := job.Finding{Rule: rule.Name, Title: rule.Title, Source: rule.Source}
	rows, err := target.Ask(ctx, j, s, queryOf(rule), rowsShown)
	if err != nil {
		return finding, fmt.Errorf("check %s: %w", rule.Name, err)
	}
	finding.Holds = len(rows.Rows) == 0
	if finding.Holds {
		return finding, nil
	}
	finding.Columns, finding.Rows = rows.Columns, rows.Rows
	switch {
	case foreign != "" && rule.Foreign != "":
		finding.Excuse = fmt.Sprintf("%s built this schema: %s", foreign, rule.Foreign)
	case rule.Known != "":
		finding.Cause, err = knownCause(ctx, j, s, rule)
	}
	return finding, err
}

// knownCause describes the part of a rule's violations that a known fault explains, or returns ""
// if the fault explains none. A known cause is not an excuse: the data are wrong, and the rule can
// no longer show whether the server lost data too. An excuse is only for a schema that broke the
// rule from the beginning, so that the rule could never check it.
func knownCause(ctx context.Context, j plan.Job, s database.Session, rule workload.Rule) (string, error) {
	query := queryOf(rule) + "_known"
	rows, err := target.Ask(ctx, j, s, query, 1)
	if err != nil {
		return "", fmt.Errorf("%s: %w", query, err)
	}
	broken, errBroken := strconv.ParseInt(rows.Rows[0][0], 10, 64)
	explained, errExplained := strconv.ParseInt(rows.Rows[0][1], 10, 64)
	if err := errors.Join(errBroken, errExplained); err != nil {
		return "", fmt.Errorf("%s: %w", query, err)
	}
	switch explained {
	case 0:
		return "", nil
	case broken:
		return fmt.Sprintf("explained for all %d rows that break it: %s", broken, rule.Known), nil
	}
	return fmt.Sprintf("explained for %d of the %d rows that break it: %s", explained, broken, rule.Known), nil
}
