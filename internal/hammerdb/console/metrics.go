package console

import "context"

// noMetrics is the reason why the commands for metrics do nothing.
const noMetrics = "metrics of processors and disks are not built into Sledge yet"

// metricsCommands are the commands of HammerDB's agent, which reports the CPU load of the server's
// machine. HammerDB's own test scripts call them in every test and end if one fails, although a
// test does not need metrics. These commands therefore print that there are no metrics and succeed.
// They print HammerDB's lines where these are true.
func metricsCommands() []command {
	return []command{
		{
			name: "metset", usage: "metset [agent_hostname|agent_id] value", takes: 2, run: metset,
			help: "Sets the agent that reports the metrics. It has no effect until Sledge has metrics.",
		},
		{
			name: "metstart", usage: "metstart",
			help: "Prints that metrics are not built into Sledge yet, and does nothing.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				c.out.print("CPU metrics are not started, and the script goes on without them: " + noMetrics)
				return "", nil
			},
		},
		{
			name: "metstatus", usage: "metstatus",
			help: "Prints that metrics are not built into Sledge yet.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				c.out.printf("CPU Metrics are not running on %s: %s", c.book.Generic(metricsSection, "agent_hostname"), noMetrics)
				return "", nil
			},
		},
		{
			name: "metstop", usage: "metstop",
			help: "Prints that metrics are not built into Sledge yet, and does nothing.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				c.out.printf("No Metrics Agent detected on id: %s:%s: %s",
					c.book.Generic(metricsSection, "agent_hostname"), c.book.Generic(metricsSection, "agent_id"), noMetrics)
				return "", nil
			},
		},
	}
}

// metricsSection is the generic section that metset sets.
const metricsSection = "metrics"

func metset(c *Console, _ context.Context, call Call) (string, error) {
	titles := map[string]string{"agent_hostname": "hostname", "agent_id": "id"}
	key, value := call.Args[0], call.Args[1]
	if titles[key] == "" {
		return "", invalidOption(call.Name, key, []string{"agent_hostname", "agent_id"})
	}
	if err := c.setGeneric(metricsSection, key, value); err != nil {
		return "", c.explain(call.Name, err)
	}
	c.out.printf("Metrics agent %s set to %s, which has no effect: %s", titles[key], c.book.Generic(metricsSection, key), noMetrics)
	return "", nil
}
