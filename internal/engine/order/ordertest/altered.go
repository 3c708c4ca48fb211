package ordertest

import (
	"context"

	"sledge/internal/engine/order"
)

// Altered is a generator with some of its responses replaced. A nil function keeps the response.
type Altered struct {
	order.Generator
	Marks   func(ctx context.Context, p order.Phase, m order.Mark) (order.Mark, error)
	Flushes func(ctx context.Context, c order.Counted) (order.Counted, error)
	Freezes func(ctx context.Context, t order.Totals) (order.Totals, error)
	Tells   func(from <-chan order.Report, to chan<- order.Report) // must close to; nil passes reports on

	reports chan order.Report
}

// Mark implements order.Generator.
func (a *Altered) Mark(ctx context.Context, p order.Phase) (order.Mark, error) {
	m, err := a.Generator.Mark(ctx, p)
	if a.Marks != nil && err == nil {
		return a.Marks(ctx, p, m)
	}
	return m, err
}

// Flush implements order.Generator.
func (a *Altered) Flush(ctx context.Context) (order.Counted, error) {
	c, err := a.Generator.Flush(ctx)
	if a.Flushes != nil && err == nil {
		return a.Flushes(ctx, c)
	}
	return c, err
}

// Freeze implements order.Generator.
func (a *Altered) Freeze(ctx context.Context) (order.Totals, error) {
	t, err := a.Generator.Freeze(ctx)
	if a.Freezes != nil && err == nil {
		return a.Freezes(ctx, t)
	}
	return t, err
}

// Reports implements order.Generator.
func (a *Altered) Reports() <-chan order.Report {
	if a.Tells == nil {
		return a.Generator.Reports()
	}
	if a.reports == nil {
		a.reports = make(chan order.Report, 16)
		go a.Tells(a.Generator.Reports(), a.reports)
	}
	return a.reports
}
