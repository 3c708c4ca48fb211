package engine

import (
	"context"
	"errors"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// findFacts asks the server and this machine for what a result depends on.
func findFacts(ctx context.Context, p Plan, s database.Session, version string) (facts job.Facts, err error) {
	facts = job.Facts{
		SledgeVersion: version,
		Target:        p.target(),
		Host:          host.This(),
	}
	if facts.Server, err = p.Server.Version(ctx, s); err != nil {
		return facts, fmt.Errorf("ask for the server's version: %w", err)
	}
	if facts.Product, err = otherProduct(ctx, p, s); err != nil {
		return facts, err
	}
	if p.Server.Pooling != nil {
		facts.Pooling = string(p.Server.Pooling(s))
	}
	facts.Unproven = p.Database.Doubts(facts.Product, facts.Server)
	if facts.ServerSettings, err = p.Server.Settings(ctx, s); err != nil {
		return facts, fmt.Errorf("ask for the server's settings: %w", err)
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

// throughPooler returns the plan of a run that goes through a connection pooler. If sessions share
// connections, no session can tell the server to report what its users have done, and the server's name
// of a session is that of another one soon after.
func throughPooler(p Plan, by database.Pooling) (Plan, error) {
	if !by.Shares() {
		return p, nil
	}
	if by == database.ByStatement && p.Workload.Piecemeal != nil && p.Workload.Piecemeal(p.Settings) {
		return p, job.WithExit(job.ExitUsage, errors.New("the connection pooler is in statement mode, in which a transaction has one statement, and this run sends several: "+
			"use stored routines, set the pooler's pool_mode to transaction or session, or connect to the server itself"))
	}
	if p.Server.Counter != nil {
		p.Server.Counter, p.Server.Flush = nil, nil
		p.Uncounted = fmt.Sprintf("the connection pooler is in %s mode, in which the server's count cannot be read at the moment of the users' own", by)
	}
	p.Server.Name = nil
	return p, nil
}

// findContention asks the workload what users must expect of each other. In a database
// inside this process it is not by rows that they wait for each other.
func findContention(ctx context.Context, p Plan, s database.Session) (*job.Contention, error) {
	if p.Workload.Contention == nil || p.Database.Embedded() {
		return nil, nil
	}
	return p.Workload.Contention(ctx, s, p.SQL, workload.Crowd{Users: p.terminals(), Seed: p.Seed, Kinds: p.Kinds, Options: p.Settings, Rand: p.rand})
}

// otherProduct returns the name of the server's product where it is another than the
// one that was chosen, as when MySQL's client talks to MariaDB, and else "".
func otherProduct(ctx context.Context, p Plan, s database.Session) (string, error) {
	if p.Server.Product == nil {
		return "", nil
	}
	product, err := p.Server.Product(ctx, s)
	if err != nil {
		return "", fmt.Errorf("ask which product the server is: %w", err)
	}
	if product != p.Database.Title {
		return product, nil
	}
	return "", nil
}

// sayServer says once for a job that another product answers than was chosen, and what no test
// has shown of such servers.
func sayServer(ctx context.Context, p Plan, s database.Session, f *feed) error {
	product, err := otherProduct(ctx, p, s)
	if err != nil {
		return err
	}
	if product != "" {
		f.message(0, "%s", answeredBy(p, product))
	}
	if limits := p.Database.Limits(product); limits != "" {
		f.message(0, "%s", limits)
	}
	return nil
}

// answeredBy returns the message that a product answers that was not chosen.
func answeredBy(p Plan, product string) string {
	return fmt.Sprintf("A %s server answered, although %s was chosen: what follows is about %[1]s.", product, p.Database.Title)
}
