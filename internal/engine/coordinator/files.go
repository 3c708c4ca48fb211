package coordinator

import (
	"fmt"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// spareFiles is the number of open files for everything except the users' connections.
const spareFiles = 100

// checkFiles returns an error if a run needs more open files than this process may have. The run
// calls it before it opens thousands of connections. A limit of 0 means no limit.
func checkFiles(p plan.Plan, limit int) error {
	connections := 0
	for _, group := range p.Groups() {
		connections += group.ConnectionCount()
	}
	needed := connections + spareFiles
	if limit == 0 || needed <= limit {
		return nil
	}
	return job.WithExit(job.ExitUsage, fmt.Errorf(
		"%d connections need %d open files, and this process may have %d: run ulimit -n %d in the shell that starts it, set %s so that virtual users share fewer, or use fewer users",
		connections, needed, limit, needed, p.Spec.Names.Of("connections")))
}
