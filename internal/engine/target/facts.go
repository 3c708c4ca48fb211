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
		SledgeSHA256:  host.Program(),
		Unsampled:     j.Database.Runs.Unsampled,
		Target:        j.Target(),
		Host:          host.This(),
	}
	if RunsOnThisMachine(j) {
		facts.ServerMachine = job.ClientMachine
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
	if ask := j.Server.SettingSources; ask != nil {
		facts.ServerSettingSources, _ = ask(ctx, s) // some versions and relatives do not tell
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

// ThroughPooler returns the plan of a run through a connection pooler. If the pooler's sessions
// share connections to the server, a session cannot flush its own statistics, and a server process
// does not belong to one session. So the run uses neither the server's count nor the names of
// sessions.
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
		j.Uncounted = fmt.Sprintf("the connection pooler is in %s mode, in which the server's count cannot be read at the same time as the users' counts", by)
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

// SayServer reports once per job that the server is not the chosen product, and the limits of
// Sledge's tests with such servers.
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

// AnsweredBy returns the message that the server is not the chosen product.
func AnsweredBy(j plan.Job, product string) string {
	return fmt.Sprintf("A %s server answered, although %s was chosen: what follows is about %[1]s.", product, j.Database.Title)
}
