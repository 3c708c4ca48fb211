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

// Job is a spec bound to its database and its workload: all that a job needs but the users of a run. SQL
// scripts are expanded with it.
type Job struct {
	// Spec is what the job was made of. What depends on the moment, such as a load time
	// of now, is spelled as it was bound, so that the spec means the same later.
	Spec job.Spec

	catalog.Pair
	Connection any   // the database's options
	Targets    []any // the same, of each server that they name
	Settings   any   // the workload's options
	SQL        *sqlfile.Library
	Schema     database.Schema // how the database keeps the workload's schema
	Server     database.Server // what it says of itself

	// Uncounted says why a run goes without the server's count, though the server has one; ""
	// where it has none, or goes with it.
	Uncounted string

	// Say is given a line when the job waits for something. Optional.
	Say func(line string)
}

// At returns the job as it is over other options of the database.
func (j Job) At(connection any) Job {
	j.Connection, j.Targets = connection, []any{connection}
	if j.Database.Options.Servers != nil {
		j.Targets = j.Database.Options.Servers(connection)
	}
	j.Schema = j.Database.Schema(j.Database, j.SQL, j)
	return j
}

// Target says which database the job is for, for messages.
func (j Job) Target() string {
	return fmt.Sprintf("%s %s", j.Database.Title, j.Database.Options.Target(j.Connection))
}

// WaitFor says what the job waits for, if that takes longer than noticeable, until done is called.
func (j Job) WaitFor(format string, args ...any) (done func()) {
	if j.Say == nil {
		return func() {}
	}
	timer := time.AfterFunc(feed.Noticeable, func() { j.Say("Waiting for " + fmt.Sprintf(format, args...)) })
	return func() { timer.Stop() }
}

// Rand returns the random numbers of a user.
func (j Job) Rand(number int) *rand.Rand { return rand.New(rand.NewPCG(j.Spec.Seed, uint64(number))) }

// Pauses names the option that has users pause, if there is one, and says whether it does.
func (j Job) Pauses() (option string, pause bool) {
	if j.Workload.Users.Pauses == nil {
		return "", false
	}
	return j.Workload.Users.Pauses.Option, j.Workload.Users.Pauses.On(j.Settings)
}

// Piecemeal reports whether the client sends the statements of transactions itself.
func (j Job) Piecemeal() bool {
	return j.Workload.Users.Piecemeal != nil && j.Workload.Users.Piecemeal(j.Settings) || !j.SQL.Has("installed_routines")
}

// Routines is what the code is called that a build puts into the database.
func (j Job) Routines() string {
	if j.Database.Dialect.Routines == nil {
		return "stored procedures"
	}
	return j.Database.Dialect.Routines(j.Connection)
}

// StepOf is a step that is about the whole schema.
func (j Job) StepOf(name job.StepName) job.Step {
	s := j.Database.Options.SchemaName(j.Connection)
	return job.Step{Name: name, Of: s.Name, Owner: s.Owner}
}
