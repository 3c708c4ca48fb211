package live

import (
	"sledge/internal/job"
)

// course is what charts show of a job: phases, points, markers, and virtual users by state.
type course struct {
	job    Job
	phases phases
	users  users
	fold   fold
	marks  markers

	working int // virtual users at work, by the newest step; 0 if their number does not change
}

// newCourse returns the course of a job without any event, with at most most points.
func newCourse(j Job, most int) course {
	c := course{job: j, fold: newFold(most), working: j.Working}
	if j.Spec.Action == job.Run {
		c.users.reach(j.Spec.AllUsers())
	}
	return c
}

// add adds an event.
func (c *course) add(e job.Event) error {
	c.marks.add(e)
	switch {
	case e.State != "":
		c.users.state(e.User, e.State, e.At)
	case e.Phase != nil:
		c.phases.add(e)
	case e.Second != nil:
		c.phases.reach(e.At, e.Second)
		return c.point(e)
	case e.Facts != nil:
		if e.User == job.Monitor && c.job.Spec.Action == job.Run && !c.job.Finite {
			c.users.monitored = true
			c.users.reach(c.job.Spec.AllUsers() + 1)
		}
	case e.Step != nil && e.Step.Name == job.StepUsers:
		c.working = e.Step.Users
	case e.Step != nil && e.Step.Name == job.StepLoad:
		c.builders(e.Step.Users)
	}
	return nil
}

// point adds a second to the points.
func (c *course) point(e job.Event) error {
	if c.job.Finite {
		return nil
	}
	return c.fold.add(e.At, e.At.Sub(c.phases.begin), e.Second, c.users.counts(), c.working)
}

// builders makes room for the virtual users of a build. Several have a monitor.
func (c *course) builders(n int) {
	switch {
	case n > 1:
		c.users.monitored = true
		c.users.reach(n + 1)
	case n == 1:
		c.users.reach(1)
	}
}

// pointOf returns a point that has been computed, and the names of its figures.
func (c *course) pointOf(k *kept) (p Point, figures []string) {
	p = k.Point
	if c.job.Score == nil {
		return p, nil
	}
	for _, m := range c.job.Score(k.counts) {
		p.Figures, figures = append(p.Figures, m.Value), append(figures, m.Name)
	}
	return p, figures
}
