package engine

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/host"
	"sledge/internal/job"
)

// findFacts asks the server and this machine for what a result depends on.
func findFacts(ctx context.Context, p Plan, s database.Session, version string) (job.Facts, error) {
	facts := job.Facts{
		SledgeVersion:  version,
		Target:         p.target(),
		Host:           host.This(),
		ServerSettings: map[string]string{},
	}
	q, err := p.SQL.Query("server.version")
	if err != nil {
		return facts, err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil || len(t.Rows) == 0 {
		return facts, fmt.Errorf("ask for the server's version: %w", err)
	}
	facts.Server = t.Rows[0][0]
	if facts.Product, err = p.otherProduct(ctx, s); err != nil {
		return facts, err
	}
	if q, err = p.SQL.Query("server.settings"); err != nil {
		return facts, err
	}
	if t, err = s.Query(ctx, q.Text, 0); err != nil {
		return facts, fmt.Errorf("ask for the server's settings: %w", err)
	}
	for _, row := range t.Rows {
		facts.ServerSettings[row[0]] = row[1]
	}
	if judge := p.Database.Durability; judge != nil {
		durable, why := judge(facts.ServerSettings)
		facts.Durability = &job.Durability{Holds: durable, Why: why}
	}
	if p.Workload.Extent != nil {
		if facts.Size, err = p.Workload.Extent(ctx, s, p.SQL); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// otherProduct returns the name of the server's product where it is another than the
// one that was chosen, as when MySQL's client talks to MariaDB, and else "".
func (p Plan) otherProduct(ctx context.Context, s database.Session) (string, error) {
	if !p.SQL.Has("server.product") {
		return "", nil
	}
	q, err := p.SQL.Query("server.product")
	if err != nil {
		return "", err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil || len(t.Rows) == 0 {
		return "", fmt.Errorf("ask which product the server is: %w", err)
	}
	if product := t.Rows[0][0]; product != p.Database.Title {
		return product, nil
	}
	return "", nil
}

// sayProduct says once for a job that another product answers than was chosen.
func (p Plan) sayProduct(ctx context.Context, s database.Session, f *feed) error {
	product, err := p.otherProduct(ctx, s)
	if err == nil && product != "" {
		f.send(job.Event{Text: p.answeredBy(product)})
	}
	return err
}

func (p Plan) answeredBy(product string) string {
	return fmt.Sprintf("A %s server answers, and %s was chosen: what follows is about %[1]s.", product, p.Database.Title)
}
