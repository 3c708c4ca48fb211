package report

import (
	"fmt"
	"strings"

	"sledge/internal/job"
)

// clientBound says from when on the client limited the result, with all evidence, and what to do.
func clientBound(c job.ClientLoad) string {
	first := c.Bound()
	var evidence []string
	for _, l := range c.Limits {
		if l.Bound {
			evidence = append(evidence, l.String())
		}
	}
	return fmt.Sprintf("client-bound %s: %s. The server can do more. %s", first.When(float64(c.Judged)), strings.Join(evidence, "; "), boundWays[first.Rule])
}

// boundWays say how to remove a limit of the client.
var boundWays = map[string]string{
	"event loops": "Use more event loops (--loops) if cores are idle, or a machine with more cores.",
	"cores":       "Give it more cores: a larger machine, or a higher taskset, cgroup or GOMAXPROCS limit.",
	"throttling":  "Raise the CPU limit of its control group.",
}

// heldUp reports the limits of the client that add to response times, without being the limit of the
// result.
func heldUp(c job.ClientLoad) (list []Ground) {
	for _, l := range c.Limits {
		if l.Bound {
			continue
		}
		g := Ground{Doubtful, "Client", fmt.Sprintf("%s, %s, which is in the response times", l, l.When(float64(c.Judged)))}
		if l.Rule == "waits for cores" {
			g = waits(g, c.Machine)
		}
		list = append(list, g)
	}
	return list
}

// waits adds to a ground which processes the client's threads waited for. A server on the same
// machine is part of the test.
func waits(g Ground, m *job.MachineLoad) Ground {
	switch {
	case m == nil:
		g.Text += "; it cannot be told for which processes"
	case m.Unknown != "":
		g.Text += "; it cannot be told for which processes: " + m.Unknown
	case m.Server > m.Others:
		g.Tone = Plain
		g.Text += fmt.Sprintf(", mostly for the server, which shares its machine and used %.2f of %s", m.Server, cores(float64(m.Cores)))
	case m.Disturbed():
		g.Text += fmt.Sprintf(", for other processes, which used %.2f of %s. Repeat it on a quiet machine", m.Others, cores(float64(m.Cores)))
	default:
		g.Text += "; other processes used few cores, so its own threads may have waited for each other"
	}
	return g
}

// untold says what cannot be told about the client.
func untold(c job.ClientLoad) string {
	if c.Untold == "" {
		return ""
	}
	return "; it cannot be told " + c.Untold
}
