package observer

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// statementPlans are the plans of top statements. When the measured time begins and when it is over, each top
// statement is explained; in between, each second, one of those that take most time and one of the others.
// Explaining executes nothing.
type statementPlans struct {
	session  reopened // the timeouts of a plan do not apply to the statistics
	samples  int
	ranked   map[string]database.StatementCount   // by ID, at the newest ranking
	top      []job.Statement                      // that took most time before the newest ranking, the first most
	examples map[string]database.StatementExample // by the IDs of statements, from their first look, because other values could have another plan
	found    map[string][]job.QueryPlan           // by the IDs of statements: the first plan, and each with another shape than the one before
	whyNot   map[string]string                    // why the newest attempt failed, by the IDs of statements
	refused  map[string]bool                      // statements that are explained only once more, because the server may log each refusal
}

const (
	rankEvery     = 10 // seconds between two rankings of the statements
	mostWatched   = 5  // statements that take turns of their own, because they take most time
	mostPlans     = 8  // of a statement
	explainWithin = 2 * time.Second
	watchWithin   = 5 * time.Second // for a whole look
)

// next returns the statements to explain: first all, then two, in turns.
func (p *statementPlans) next() (list []job.Statement) {
	if p.samples == 0 {
		return p.top
	}
	most, others := p.top[:min(mostWatched, len(p.top))], p.top[min(mostWatched, len(p.top)):]
	for _, part := range [][]job.Statement{most, others} {
		if len(part) == 0 {
			continue
		}
		if one := part[p.samples%len(part)]; !p.refused[one.ID] {
			list = append(list, one)
		}
	}
	return list
}

// explains reports whether the run watches plans of statements.
func (o *Statements) explains() bool { return o.Ask.Explain != nil && !o.Whole }

// watch explains statements. It returns no error, because statements without plans are still measured.
func (o *Statements) watch(ctx context.Context, list ...job.Statement) {
	if !o.explains() {
		return
	}
	p := &o.plans
	if p.found == nil {
		p.examples, p.found, p.whyNot, p.refused = map[string]database.StatementExample{}, map[string][]job.QueryPlan{}, map[string]string{}, map[string]bool{}
	}
	ctx, done := context.WithTimeout(ctx, watchWithin)
	defer done()
	for _, one := range list {
		err := o.explain(ctx, one.ID, idsOf(list))
		if err == nil {
			continue
		}
		why := clean(err.Error())
		if _, own := errors.AsType[noExample](err); !own {
			why = quotedText.ReplaceAllString(why, "'?'")
		}
		p.whyNot[one.ID] = why
	}
}

// noExample says why the server offers no text of a statement that can be explained.
type noExample string

// Error implements error.
func (n noExample) Error() string { return string(n) }

// quotedText matches a text in an error of the server, which may be a private value.
var quotedText = regexp.MustCompile(`'[^']*'?`)

// explain reads the plan of a statement, and keeps it if its shape differs from the one before. ids are the
// statements whose examples it reads, if that of the statement is unknown.
func (o *Statements) explain(ctx context.Context, id string, ids []string) error {
	ctx, done := context.WithTimeout(ctx, explainWithin)
	defer done()
	var refused error // by the server, over a session that goes on
	err := o.plans.session.use(ctx, o.Connect, func(s database.Session) error {
		plan, err := o.planOf(ctx, s, id, ids)
		if err != nil && o.isLost(ctx, err) {
			return err
		}
		if refused = err; err == nil {
			o.keep(ctx, s, plan)
		}
		return nil
	})
	return cmp.Or(err, refused)
}

// isLost reports whether an error means that the session cannot be used again.
func (o *Statements) isLost(ctx context.Context, err error) bool {
	return ctx.Err() != nil || o.Lost(err)
}

func (o *Statements) planOf(ctx context.Context, s database.Session, id string, ids []string) (job.QueryPlan, error) {
	plan := job.QueryPlan{Statement: id}
	example, err := o.example(ctx, s, id, ids)
	if err != nil {
		return plan, err
	}
	began := time.Now()
	plan.Seen = max(0, rounded(began.Sub(o.began).Seconds()))
	answer, err := o.Ask.Explain(ctx, s, example)
	if err != nil {
		o.plans.refused[id] = len(o.plans.found[id]) == 0 && !o.isLost(ctx, err)
		return plan, err
	}
	plan.Seconds = time.Since(began).Seconds()
	if plan.Lines = o.ReadPlan(answer); len(plan.Lines) == 0 {
		return plan, errors.New("the server returned no plan")
	}
	return plan, nil
}

// example returns the text to explain. The server may keep it only for a while, so the first one is used
// again.
func (o *Statements) example(ctx context.Context, s database.Session, id string, ids []string) (database.StatementExample, error) {
	one, known := o.plans.examples[id]
	if !known {
		list, err := o.Ask.Examples(ctx, s, ids)
		if err != nil {
			return one, err
		}
		for other, example := range list {
			if _, known := o.plans.examples[other]; !known && other != "" {
				o.plans.examples[other] = example
			}
		}
		if one, known = o.plans.examples[id]; !known {
			return one, noExample(cmp.Or(list[""].Why, "the server keeps no whole text of it"))
		}
	}
	if one.Why != "" {
		return one, noExample(one.Why)
	}
	return one, nil
}

// keep keeps a plan if its shape differs from the one before, and marks the change.
func (o *Statements) keep(ctx context.Context, s database.Session, plan job.QueryPlan) {
	list := o.plans.found[plan.Statement]
	if n := len(list); n > 0 {
		last := &list[n-1]
		switch {
		case last.Shape() == plan.Shape():
			return
		case n == mostPlans:
			last.Error = "it changed again later"
			return
		}
		const longest = 100
		of := []job.Statement{{ID: plan.Statement, Text: plan.Statement}}
		if err := addTexts(ctx, s, o.Ask, of, o.Mask); err == nil {
			o.Mark("The plan of " + job.Cut(of[0].Text, longest) + " changed")
		}
	}
	o.plans.found[plan.Statement] = append(list, plan)
}

// of returns the plans of a statement. If it has none, the statement says why.
func (p *statementPlans) of(s *job.Statement) []job.QueryPlan {
	list := p.found[s.ID]
	for i := range list {
		list[i].Query = s.Text
		s.PlansSeen = append(s.PlansSeen, list[i].Seen)
	}
	if len(list) == 0 {
		s.NoPlan = p.whyNot[s.ID]
	}
	return list
}
