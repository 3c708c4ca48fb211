package plan

import (
	"fmt"
	"math/rand/v2"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
)

// Job is a spec bound to its database and its workload. It holds everything that a job needs except
// the users of a run. SQL templates are expanded with its fields.
type Job struct {
	// Spec is the spec of the job. Values that depend on the current time, such as a load time of
	// now, are replaced by the bound values, so that the spec keeps its meaning.
	Spec job.Spec

	catalog.Pair
	Connection any   // the database's options
	Targets    []any // the database's options for each server that they name
	Settings   any   // the workload's options
	SQL        *sqlfile.Library
	Schema     database.Schema // how the database keeps the workload's schema
	Server     database.Server // reads the server's version, settings and counts

	// Uncounted is why a run does not use the server's count although the server has one; otherwise
	// "".
	Uncounted string

	// Say receives a message if the job waits. Optional.
	Say func(line string)
}

// At returns the job with other database options.
func (j Job) At(connection any) Job {
	j.Connection, j.Targets = connection, []any{connection}
	if j.Database.Options.Servers != nil {
		j.Targets = j.Database.Options.Servers(connection)
	}
	j.Schema = j.Database.Schema(j.Database, j.SQL, j)
	return j
}

// Target returns the job's database, for messages.
func (j Job) Target() string {
	return fmt.Sprintf("%s %s", j.Database.Title, j.Database.Options.Target(j.Connection))
}

// WaitFor reports what the job waits for if the wait is noticeably long. The caller calls done
// after the wait.
func (j Job) WaitFor(format string, args ...any) (done func()) {
	if j.Say == nil {
		return func() {}
	}
	timer := time.AfterFunc(feed.Noticeable, func() { j.Say("Waiting for " + fmt.Sprintf(format, args...)) })
	return func() { timer.Stop() }
}

// Rand returns the random number generator of a user.
func (j Job) Rand(number int) *rand.Rand { return rand.New(rand.NewPCG(j.Spec.Seed, uint64(number))) }

// Pauses returns the option that makes users pause, if there is one, and whether it is set.
func (j Job) Pauses() (option string, pause bool) {
	if j.Workload.Users.Pauses == nil {
		return "", false
	}
	return j.Workload.Users.Pauses.Option, j.Workload.Users.Pauses.On(j.Settings)
}

// Piecemeal reports whether the client sends the single statements of transactions, rather than calls of stored routines.
func (j Job) Piecemeal() bool {
	return j.Workload.Users.Piecemeal != nil && j.Workload.Users.Piecemeal(j.Settings) || !j.SQL.Has("installed_routines")
}

// Routines returns the name of the code that a build installs in the database.
func (j Job) Routines() string {
	if j.Database.Dialect.Routines == nil {
		return "stored procedures"
	}
	return j.Database.Dialect.Routines(j.Connection)
}

// StepOf returns a step that concerns the whole schema.
func (j Job) StepOf(name job.StepName) job.Step {
	s := j.Database.Options.SchemaName(j.Connection)
	return job.Step{Name: name, Of: s.Name, Owner: s.Owner}
}
