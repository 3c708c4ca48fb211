package live

import (
	"time"

	"sledge/internal/job"
)

// Progress is how far a step of a build or a check has come.
type Progress struct {
	job.Progress
	Elapsed float64   `json:"elapsed_seconds"`
	Rate    float64   `json:"per_second,omitempty"`       // of what Unit says
	Bytes   float64   `json:"bytes_per_second,omitempty"` // of the load
	Left    *float64  `json:"left_seconds,omitempty"`     // about; missing where nothing can be said
	Tables  []Loading `json:"tables,omitempty"`           // of the load
	Over    bool      `json:"over,omitempty" doc:"Another step has begun since."`
}

// Loading is how far the load of a table has come.
type Loading struct {
	job.TableProgress
	Rate float64  `json:"per_second,omitempty"` // rows, since its first
	Left *float64 `json:"left_seconds,omitempty"`
}

// progress is a step that goes on.
type progress struct {
	job.Progress
	began  time.Time
	at     time.Time
	tables map[string]time.Time // when the first rows of each were seen
	took   map[string]float64   // seconds, of those that are ready
	over   bool
}

// Steps measures the speed of steps. The zero value has none.
type Steps struct{ list []*progress }

// Add notes how far a step has come at a time.
func (l *Steps) Add(p job.Progress, at time.Time) {
	var step *progress
	for _, s := range l.list {
		s.over = s.over || s.Step != p.Step
		if s.Step == p.Step {
			step = s
		}
	}
	if step == nil {
		step = &progress{began: at, tables: map[string]time.Time{}, took: map[string]float64{}}
		l.list = append(l.list, step)
	}
	step.Progress, step.at, step.over = p, at, false
	for _, t := range p.Tables {
		began, seen := step.tables[t.Table]
		if t.Done > 0 && !seen {
			step.tables[t.Table] = at
		}
		if _, ready := step.took[t.Table]; seen && t.Ready && !ready {
			step.took[t.Table] = at.Sub(began).Seconds()
		}
	}
}

// Shown returns the steps with their rates, in the order in which they began.
func (l *Steps) Shown() (list []Progress) {
	for _, s := range l.list {
		list = append(list, s.shown())
	}
	return list
}

// shown returns it with its rates. A rate is of the whole step, as a build goes on evenly.
func (p *progress) shown() Progress {
	elapsed := p.at.Sub(p.began).Seconds()
	s := Progress{Progress: p.Progress, Elapsed: elapsed, Over: p.over}
	s.Progress.Tables = nil
	if elapsed >= 1 && p.Done > 0 {
		s.Rate, s.Bytes = float64(p.Done)/elapsed, float64(p.DoneBytes)/elapsed
		s.Left = left(p.Done, p.Total, s.Rate)
	}
	for _, t := range p.Tables {
		one := Loading{TableProgress: t}
		began, seen := p.tables[t.Table]
		took, ready := p.took[t.Table]
		if !ready && seen {
			took = p.at.Sub(began).Seconds()
		}
		if took >= 1 {
			one.Rate = float64(t.Done) / took
		}
		if !t.Ready {
			one.Left = left(t.Done, t.Total, one.Rate)
		}
		s.Tables = append(s.Tables, one)
	}
	return s
}

// left estimates the remaining seconds at a rate, or returns nil if unknown.
func left(done, total int64, rate float64) *float64 {
	if rate <= 0 || total <= done {
		return nil
	}
	seconds := float64(total-done) / rate
	return &seconds
}
