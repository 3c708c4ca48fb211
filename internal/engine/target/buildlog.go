package target

import (
	"context"
	"fmt"
	"slices"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// In addition to chunks, the build log has a line that identifies the build, and a line that is
// written when all tables exist. Their chunk numbers are negative.
const (
	identityLine = -1
	SchemaLine   = -2
)

// BuildLog holds the lines of the build log.
type BuildLog struct {
	Identity  string
	HasSchema bool
	Loaded    map[string]map[int]bool // loaded chunks by table
	Tables    []string                // existing tables
}

func readBuildLog(ctx context.Context, j plan.Job, s database.Session) (BuildLog, error) {
	l := BuildLog{Loaded: map[string]map[int]bool{}}
	lines, err := j.Schema.BuildLog.Read(ctx, s)
	if err != nil {
		return l, fmt.Errorf("read the build log: %w", err)
	}
	for _, line := range lines {
		switch line.Chunk {
		case identityLine:
			l.Identity = line.Entry
		case SchemaLine:
			l.HasSchema = true
		default:
			if l.Loaded[line.Entry] == nil {
				l.Loaded[line.Entry] = map[int]bool{}
			}
			l.Loaded[line.Entry][line.Chunk] = true
		}
	}
	return l, nil
}

// WriteBuildLog adds a line to the build log.
func WriteBuildLog(ctx context.Context, j plan.Job, s database.Session, entry string, chunk int) error {
	if err := j.Schema.BuildLog.Write(ctx, s, database.BuildLogLine{Entry: entry, Chunk: chunk}); err != nil {
		return fmt.Errorf("write the build log: %w", err)
	}
	return nil
}

// OpenBuildLog creates the build log, or reads the log of an interrupted build to resume.
func OpenBuildLog(ctx context.Context, j plan.Job, s database.Session) (BuildLog, error) {
	st, err := Inspect(ctx, j, s)
	if err == nil {
		err = st.Refusal(j)
	}
	if err == nil {
		err = roomToBuild(ctx, j, s, st)
	}
	if err != nil {
		return BuildLog{}, err
	}
	identity := j.Workload.Name + ": " + j.Workload.Schema.Identity(j.Settings, j.Spec.Seed)
	switch l := st.BuildLog; {
	case st.State == halfMade && !j.Spec.Resume:
		return BuildLog{}, halfMadeError(j)
	case st.State == halfMade && l.Identity != "" && l.Identity != identity:
		return BuildLog{}, job.WithExit(job.ExitUsage, fmt.Errorf(
			"the interrupted build is of %s, but the options are for %s: resume it with its own options, or delete the schema", l.Identity, identity))
	case st.State == halfMade && l.Identity == "":
		return l, WriteBuildLog(ctx, j, s, identity, identityLine)
	case st.State == halfMade:
		l.Tables = st.tables
		return l, nil
	case st.State == Whole:
		return BuildLog{}, job.WithExit(job.ExitExists, fmt.Errorf(
			"there is a %s schema in %s already: delete it first, or choose another database", j.Workload.Title, j.Target()))
	case j.Spec.Resume:
		return BuildLog{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no interrupted build to resume in %s: build without resume", j.Target()))
	}
	if err := j.Schema.BuildLog.Create(ctx, s); err != nil {
		return BuildLog{}, fmt.Errorf("create the build log: %w", err)
	}
	return BuildLog{Identity: identity}, WriteBuildLog(ctx, j, s, identity, identityLine)
}

// roomToBuild returns an error if a foreign object has the name of a routine that a build creates,
// or if an embedded database's file contains other objects. The tables of a workload of files may stand
// beside those of another, which its statements read.
func roomToBuild(ctx context.Context, j plan.Job, s database.Session, st SchemaState) error {
	routines, err := FindRoutines(ctx, j, s)
	if err != nil {
		return err
	}
	inTheWay := routines.Others
	if j.Database.Embedded() && len(j.Workload.Files) == 0 {
		objects, err := FindObjects(ctx, j, s)
		if err != nil {
			return err
		}
		others, upon := ForeignObjects(st.OwnTables(j), nil, objects)
		inTheWay = slices.Concat(inTheWay, others, upon)
	}
	if len(inTheWay) > 0 {
		return refused(fmt.Errorf(
			"%s contains other objects that are in the way of a %s schema: %s. Nothing was changed: choose another database",
			j.Target(), j.Workload.Title, Listed(inTheWay, 10)))
	}
	return nil
}
