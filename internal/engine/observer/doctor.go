package observer

import (
	"context"
	"time"

	"sledge/internal/job"
)

// Doctor makes the quick checks of sledge doctor before users work. What it cannot read soon is left
// out.
type Doctor struct {
	Base
	Examine func(ctx context.Context) job.Doctor

	found job.Doctor
}

// examining is the time limit of the checks.
const examining = 300 * time.Millisecond

// Name implements Observer.
func (d *Doctor) Name() string { return "Doctor" }

// Begin implements Observer.
func (d *Doctor) Begin(ctx context.Context, _ Axis) error {
	ctx, cancel := context.WithTimeout(ctx, examining)
	defer cancel()
	d.found = d.Examine(ctx)
	return nil
}

// Report implements Observer.
func (d *Doctor) Report(result *job.Result) { result.Doctor = &d.found }
