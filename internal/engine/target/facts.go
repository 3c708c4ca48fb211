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
)

// FindFacts reads the facts of the server and of this machine that a result depends on.
func FindFacts(ctx context.Context, j plan.Job, s database.Session, version string) (facts job.Facts, err error) {
	facts = job.Facts{
		SledgeVersion: version,
		Target:        j.Target(),
		Host:          host.This(),
	}
	if facts.Server, err = j.Server.Version(ctx, s); err != nil {
		return facts, fmt.Errorf("ask for the server's version: %w", err)
	}
	if facts.Product, err = OtherProduct(ctx, j, s); err != nil {
		return facts, err
	}
	if j.Server.Pooling != nil {
		facts.Pooling = string(j.Server.Pooling(s))
	}
	facts.Unproven = j.Database.Doubts(facts.Product, facts.Server)
	if facts.ServerSettings, err = j.Server.Settings(ctx, s); err != nil {
		return facts, fmt.Errorf("ask for the server's settings: %w", err)
	}
	if judge := j.Database.Runs.Durability; judge != nil {
		durable, why := judge(facts.ServerSettings)
		facts.Durability = &job.Durability{Holds: durable, Why: why}
	}
	if j.Workload.Schema.Extent != nil {
		if facts.Size, err = j.Workload.Schema.Extent(ctx, s, j.SQL); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// ThroughPooler returns the plan of a run that uses a connection pooler. If sessions share
// connections, a session cannot make the server report its users' work, and the server's name of a
// session soon belongs to another one.
func ThroughPooler(j plan.Job, by database.Pooling) (plan.Job, error) {
	if !by.Shares() {
		return j, nil
	}
	if by == database.ByStatement && j.Workload.Users.Piecemeal != nil && j.Workload.Users.Piecemeal(j.Settings) {
		return j, job.WithExit(job.ExitUsage, errors.New("the connection pooler is in statement mode, in which a transaction has one statement, and this run sends several: "+
			"use stored routines, set the pooler's pool_mode to transaction or session, or connect to the server itself"))
	}
	if j.Server.Counter != nil {
		j.Server.Counter, j.Server.Flush = nil, nil
		j.Uncounted = fmt.Sprintf("the connection pooler is in %s mode, in which the server's count cannot be read at the moment of the users' own", by)
	}
	j.Server.Name = nil
	return j, nil
}

// OtherProduct returns the name of the server's product if it differs from the chosen one, for
// example MariaDB instead of MySQL; otherwise "".
func OtherProduct(ctx context.Context, j plan.Job, s database.Session) (string, error) {
	if j.Server.Product == nil {
		return "", nil
	}
	product, err := j.Server.Product(ctx, s)
	if err != nil {
		return "", fmt.Errorf("ask which product the server is: %w", err)
	}
	if product != j.Database.Title {
		return product, nil
	}
	return "", nil
}

// SayServer reports once per job that another product responds than was chosen, and which
// properties of such servers no test has shown.
func SayServer(ctx context.Context, j plan.Job, s database.Session, f *feed.Feed) error {
	product, err := OtherProduct(ctx, j, s)
	if err != nil {
		return err
	}
	if product != "" {
		f.Message(0, "%s", AnsweredBy(j, product))
	}
	if limits := j.Database.Limits(product); limits != "" {
		f.Message(0, "%s", limits)
	}
	return nil
}

// AnsweredBy returns the message that a product responds that was not chosen.
func AnsweredBy(j plan.Job, product string) string {
	return fmt.Sprintf("A %s server answered, although %s was chosen: what follows is about %[1]s.", product, j.Database.Title)
}
