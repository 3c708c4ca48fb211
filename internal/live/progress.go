package live

import (
	"time"

	"sledge/internal/job"
)

// Progress is the progress of a step of a build or a check.
type Progress struct {
	job.Progress
	Elapsed float64   `json:"elapsed_seconds"`
	Rate    float64   `json:"per_second,omitempty"`       // of what Unit says
	Bytes   float64   `json:"bytes_per_second,omitempty"` // of the load
	Left    *float64  `json:"left_seconds,omitempty"`     // estimated; missing if unknown
	Tables  []Loading `json:"tables,omitempty"`           // of the load
	Over    bool      `json:"over,omitempty" doc:"Another step has begun."`
}

// Loading is the progress of loading a table.
type Loading struct {
	job.TableProgress
	Rate float64  `json:"per_second,omitempty"` // rows, since its first
	Left *float64 `json:"left_seconds,omitempty"`
}

// progress is a running step.
type progress struct {
	job.Progress
	began  time.Time
	at     time.Time
	tables map[string]time.Time // when the first rows of each table were seen
	took   map[string]float64   // seconds for each table that is ready
	over   bool
}

// Steps measures the speed of steps. The zero value has none.
type Steps struct{ list []*progress }

// Add records the progress of a step at a time.
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

// shown returns the step with its rates. A rate covers the whole step, because a build is steady.
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
