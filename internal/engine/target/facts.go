package target

import (
	"context"
	"errors"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// FindFacts asks the server and this machine for what a result depends on.
func FindFacts(ctx context.Context, p plan.Plan, s database.Session, version string) (facts job.Facts, err error) {
	facts = job.Facts{
		SledgeVersion: version,
		Target:        p.Target(),
		Host:          host.This(),
	}
	if facts.Server, err = p.Server.Version(ctx, s); err != nil {
		return facts, fmt.Errorf("ask for the server's version: %w", err)
	}
	if facts.Product, err = OtherProduct(ctx, p, s); err != nil {
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
	if p.Workload.Schema.Extent != nil {
		if facts.Size, err = p.Workload.Schema.Extent(ctx, s, p.SQL); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// ThroughPooler returns the plan of a run that goes through a connection pooler. If sessions share
// connections, no session can tell the server to report what its users have done, and the server's name
// of a session is that of another one soon after.
func ThroughPooler(p plan.Plan, by database.Pooling) (plan.Plan, error) {
	if !by.Shares() {
		return p, nil
	}
	if by == database.ByStatement && p.Workload.Users.Piecemeal != nil && p.Workload.Users.Piecemeal(p.Settings) {
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

// FindContention asks the workload what users must expect of each other. In a database
// inside this process it is not by rows that they wait for each other.
func FindContention(ctx context.Context, p plan.Plan, s database.Session) (*job.Contention, error) {
	if p.Workload.Evidence.Contention == nil || p.Database.Embedded() {
		return nil, nil
	}
	return p.Workload.Evidence.Contention(ctx, s, p.SQL, workload.Crowd{Users: p.Terminals(), Seed: p.Seed, Kinds: p.Kinds, Options: p.Settings, Rand: p.Rand})
}

// OtherProduct returns the name of the server's product where it is another than the
// one that was chosen, as when MySQL's client talks to MariaDB, and else "".
func OtherProduct(ctx context.Context, p plan.Plan, s database.Session) (string, error) {
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

// SayServer says once for a job that another product answers than was chosen, and what no test
// has shown of such servers.
func SayServer(ctx context.Context, p plan.Plan, s database.Session, f *feed.Feed) error {
	product, err := OtherProduct(ctx, p, s)
	if err != nil {
		return err
	}
	if product != "" {
		f.Message(0, "%s", AnsweredBy(p, product))
	}
	if limits := p.Database.Limits(product); limits != "" {
		f.Message(0, "%s", limits)
	}
	return nil
}

// AnsweredBy returns the message that a product answers that was not chosen.
func AnsweredBy(p plan.Plan, product string) string {
	return fmt.Sprintf("A %s server answered, although %s was chosen: what follows is about %[1]s.", product, p.Database.Title)
}
