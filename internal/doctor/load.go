package doctor

import (
	"fmt"
	"time"

	"sledge/internal/job"
)

// LoadChecks are the checks of the planned load and of the schema, for every database. They use the
// sections "place" and "schema" of the readings: see database.Server.
var LoadChecks = []Check{
	{
		ID: "load.warehouses", On: Load, Severity: job.SeverityHigh,
		Wanted: "4 to 5 warehouses for each user, or transactions in all warehouses",
		Why:    "Users of one warehouse wait for each other's rows, so the run measures locks.",
		Mend:   "Build more warehouses (--warehouses), or use fewer users",
		Source: "HammerDB's guide: 250 to 500 warehouses for each socket, and 4 to 5 for each user",
		Finds: func(f *Facts) string {
			crowd := f.Load().Crowd
			if crowd == nil || crowd.Sharing == 0 {
				return ""
			}
			return fmt.Sprintf("%d of %d users share one of %d warehouses", crowd.Sharing, crowd.Users, crowd.Units)
		},
	},
	{
		ID: "load.cache", On: Load, Severity: job.SeverityNote,
		Wanted: "a schema of less than 0.8 or more than 1.5 times the buffer memory",
		Why:    "At the edge of the cache, small changes of its size or of the data change the result much.",
		Mend:   "Build another number of warehouses, or change the buffer memory",
		Source: "Common practice",
		Finds: func(f *Facts) string {
			size, memory := f.Count("schema", "size"), f.Count("place", "memory")
			return If(size > 0.8*memory && size < 1.5*memory, "the database has %s, and the buffer memory %s", Bytes(size), Bytes(memory))
		},
	},
	{
		ID: "load.time", On: Load, Severity: job.SeverityMedium,
		Wanted: "a measured time of at least 60 s, after a ramp-up",
		Why:    "A short run measures one checkpoint or none, and caches that are not filled.",
		Mend:   "Give --rampup 2 and --duration 5, or more",
		Source: "HammerDB's guide: 2 and 5 minutes at least",
		Finds: func(f *Facts) string {
			l := f.Load()
			switch {
			case !l.Timed:
				return f.Unconcerned()
			case l.Duration < time.Minute:
				return fmt.Sprintf("the measured time is %s", l.Duration)
			}
			return If(l.RampUp == 0, "there is no ramp-up")
		},
	},
	{
		ID: "load.users", On: Load, Severity: job.SeverityNote,
		Wanted: "1 to 8 users for each core of the server, to find its maximum",
		Why:    "Fewer users leave cores idle, and more of them only queue.",
		Mend:   "Find the number with the peak: --users 1,2,4,8,16",
		Source: "Common practice",
		Finds: func(f *Facts) string {
			l := f.Load()
			if !l.Timed || l.Paced || l.Embedded {
				return f.Unconcerned()
			}
			if !f.Local() {
				return f.Missing(f.subject.Elsewhere)
			}
			cores := f.subject.Host.Cores
			return If(l.Users < cores || l.Users > 8*cores, "%d users on %d cores", l.Users, cores)
		},
	},
	{
		ID: "load.think", On: Load, Severity: job.SeverityMedium,
		Wanted: "a rate, or keying and thinking times, for so many users",
		Why:    "Users without pauses wait in queues, so response times say how long the queue is.",
		Mend:   "Give --rate, or --set key_and_think=true, or use fewer users",
		Source: "Common practice",
		Finds: func(f *Facts) string {
			l := f.Load()
			if !l.Timed || l.Paced || l.Embedded {
				return f.Unconcerned()
			}
			if !f.Local() {
				return f.Missing(f.subject.Elsewhere)
			}
			return If(l.Users > 20*f.subject.Host.Cores, "%d users without pauses on %d cores", l.Users, f.subject.Host.Cores)
		},
	},
}
