package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/agent"
	"sledge/internal/control"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// metricsCommands are the commands of HammerDB's metrics, which show how a machine's processors and
// disks are used. HammerDB reads them from an agent program, also on the own machine. Sledge samples
// the own machine itself, and other machines through its own agents.
func metricsCommands() []command {
	return []command{
		{
			name: "metset", usage: "metset [agent_hostname|agent_id] value", takes: 2, run: metset,
			help: "Sets the machine of the metrics: localhost, or the name or the host of an agent that sledge agent add has saved. agent_id is the agent's port, if several of its host are saved.",
		},
		{
			name: "metstart", usage: "metstart", run: metstart,
			help: "Starts the metrics: until metstop, a line every 10 s shows how the machine's processors and disks are used. Jobs record the samples.",
		},
		{
			name: "metstatus", usage: "metstatus", run: metstatus,
			help: "Shows whether the metrics are running.",
		},
		{
			name: "metstop", usage: "metstop", run: metstop,
			help: "Stops the metrics.",
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
	c.out.printf("Metrics agent %s set to %s", titles[key], c.book.Generic(metricsSection, key))
	return "", nil
}

// metrics shows how a machine is used, until it is ended.
type metrics struct {
	every     time.Duration // between two lines; 0 is lines.MetricInterval
	recording struct {
		sync.Mutex
		job *control.Handle // the running job, if it does not sample the machine itself; or nil
	}

	// Only the commands use the following fields, and they run one after another.
	host, id string // the settings when the metrics were started; "" if they are not running
	agent    string // the name of the agent; "" for the own machine
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// machine is a machine that can be sampled.
type machine struct {
	read  func(context.Context) ([]agent.Placed, error) // returns the readings since the last call
	close func()
}

// begin shows a machine. Say prints lines.
func (m *metrics) begin(ctx context.Context, of machine, say func(string)) {
	ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	m.done.Go(func() {
		defer of.close()
		m.show(ctx, of.read, say)
	})
}

// show prints a line with the means of each interval. If there are no readings it prints why, once.
func (m *metrics) show(ctx context.Context, read func(context.Context) ([]agent.Placed, error), say func(string)) {
	tick := time.NewTicker(cmp.Or(m.every, lines.MetricInterval))
	defer tick.Stop()
	missing := ""
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		readings, err := read(ctx)
		var use lines.Use
		for _, r := range readings {
			for _, s := range r.Samples {
				use.Add(s.Series, s.Value)
			}
			m.tell(r)
		}
		mean, known := use.Mean(time.Now())
		if known {
			missing = ""
			say(lines.Processors(mean))
			continue
		}
		why := "it reports no use of its processors"
		if err != nil {
			why = err.Error()
		}
		if ctx.Err() == nil && why != missing {
			missing = why
			say(fmt.Sprintf("CPU metrics of %s: not measured: %s", m.host, why))
		}
	}
}

// record makes the metrics add their samples to a job until the returned function is called. A run
// samples the machine itself.
func (m *metrics) record(r *control.Handle, order settings.Order) (end func()) {
	if order.Spec.Action == job.Run && order.Plan.Pacing.Kept.Samples {
		return func() {}
	}
	set := func(r *control.Handle) {
		m.recording.Lock()
		defer m.recording.Unlock()
		m.recording.job = r
	}
	set(r)
	return func() { set(nil) }
}

// tell passes a reading to the running job.
func (m *metrics) tell(r agent.Placed) {
	m.recording.Lock()
	defer m.recording.Unlock()
	if m.recording.job != nil && len(r.Samples) > 0 {
		m.recording.job.Tell(job.Event{At: r.At, Samples: r.Samples})
	}
}

// watched returns the order of a run that also watches the agent of the metrics, so that the job has
// the samples and the facts of its machine. The order stays bound.
func (m *metrics) watched(order settings.Order) settings.Order {
	kept := &order.Plan.Pacing.Kept
	if m.agent == "" || order.Spec.Action != job.Run || !kept.Samples || slices.Contains(kept.Agents, m.agent) {
		return order
	}
	kept.Agents = append(slices.Clone(kept.Agents), m.agent)
	for _, spec := range []*job.Spec{&order.Spec, &order.Plan.Spec} {
		spec.Options = spec.Options.Clone()
		maps.Copy(spec.Options, option.Values{"agents": strings.Join(kept.Agents, ",")})
	}
	return order
}

// end stops the metrics and waits for them. It returns false if they were not running.
func (m *metrics) end() bool {
	if m.host == "" {
		return false
	}
	m.stop()
	m.done.Wait()
	m.host, m.id, m.agent = "", "", ""
	return true
}

// metstart starts the metrics, and returns when the machine has answered.
func metstart(c *Console, ctx context.Context, _ Call) (string, error) {
	m := &c.metrics
	if m.host != "" {
		c.out.printf("CPU metrics are already running on %s, call metstop to stop", m.host)
		return "", nil
	}
	name, id := c.book.Generic(metricsSection, "agent_hostname"), c.book.Generic(metricsSection, "agent_id")
	saved, found, err := c.agentOf(name, id)
	if err != nil {
		return "", failWith(job.ExitOf(err), "Error: %v", err)
	}
	var of machine
	var facts job.Host
	switch {
	case found:
		c.out.print("Connecting to Agent to Display CPU Metrics")
		c.out.printf("Connecting to Sledge Agent %s @ %s", saved.Name, saved.Address)
		if of, facts, err = remote(ctx, saved); err != nil {
			return "", failWith(job.ExitConnect, "Connection failed verify agent hostname and id @ %s:%s: %v\nAGENT CONNECTION FAILED", name, id, err)
		}
	case isLocal(name):
		c.out.printf("Starting Local Metrics Agent on %s", name)
		c.out.print("Connecting to Agent to Display CPU Metrics")
		c.out.print("Sledge samples this machine itself: it opens no port, and needs neither an agent program nor mpstat")
		if of, facts, err = local(); err != nil {
			return "", failWith(job.ExitError, "Error: this machine cannot be sampled: %v\nAGENT CONNECTION FAILED", err)
		}
	default:
		return "", failWith(job.ExitMissing, "Remote Metrics Agent is not running on %s, %s\nNo agent of this host is saved. Sledge has its own agent: run sledge agent init and sledge agent on %[1]s, "+
			"save it here with sledge agent add, and set agent_hostname to its name. metset agent_hostname localhost shows this machine.", name, id)
	}
	c.out.print("Testing Agent Connectivity...OK")
	c.out.print("Metrics Connected")
	for _, line := range lines.Discovered(facts) {
		c.out.print(line)
	}
	m.host, m.id, m.agent = name, id, saved.Name
	m.begin(ctx, of, c.out.print)
	return "", nil
}

// agentOf returns the saved agent that the settings name: by its name, else by its host and port, else
// the only one of its host. It returns false if no agent matches.
func (c *Console) agentOf(name, id string) (agent.Saved, bool, error) {
	list, err := c.Agents.Read()
	if err != nil {
		return agent.Saved{}, false, err
	}
	var others []agent.Saved
	for _, one := range list {
		host, port, _ := net.SplitHostPort(one.Address)
		switch {
		case one.Name == name, strings.EqualFold(host, name) && port == id:
			return one, true, nil
		case strings.EqualFold(host, name) && !isLocal(name): // a tunnel to another machine begins on this one
			others = append(others, one)
		}
	}
	switch len(others) {
	case 0:
		return agent.Saved{}, false, nil
	case 1:
		return others[0], true, nil
	}
	return agent.Saved{}, false, job.WithExit(job.ExitUsage, fmt.Errorf("%d agents of %s are saved: set agent_hostname to the name of one (sledge agent list), or agent_id to its port", len(others), name))
}

// isLocal reports whether a name is one of this machine.
func isLocal(name string) bool {
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback()
	}
	own, err := os.Hostname()
	return strings.EqualFold(name, "localhost") || err == nil && strings.EqualFold(name, own)
}

// local returns the own machine.
func local() (of machine, facts job.Host, err error) {
	sampler := host.NewMachineSampler()
	if samples, err := sampler.Sample(); len(samples) == 0 {
		return of, facts, cmp.Or(err, errors.New("the system reports nothing"))
	}
	return machine{
		read: func(context.Context) ([]agent.Placed, error) {
			samples, err := sampler.Sample() // figures that cannot be read are missing beside the others
			return []agent.Placed{{At: time.Now(), Samples: samples}}, err
		},
		close: func() {},
	}, host.This(), nil
}

// remote returns the machine of an agent.
func remote(ctx context.Context, saved agent.Saved) (of machine, facts job.Host, err error) {
	client := agent.NewClient(saved)
	first, err := client.Poll(ctx)
	if err == nil && first.Host == nil {
		err = errors.New("it does not describe its machine")
	}
	if err != nil {
		client.Close()
		return of, facts, err
	}
	return machine{
		read: func(ctx context.Context) ([]agent.Placed, error) {
			poll, err := client.Poll(ctx)
			return poll.Readings, err
		},
		close: client.Close,
	}, *first.Host, nil
}

func metstatus(c *Console, _ context.Context, _ Call) (string, error) {
	m := &c.metrics
	if m.host == "" {
		c.out.printf("CPU Metrics are not running on %s", c.book.Generic(metricsSection, "agent_hostname"))
		return "", nil
	}
	c.out.printf("CPU Metrics are running on %s", m.host)
	c.out.printf("Metrics Agent running on %s:%s", m.host, m.id)
	return "", nil
}

func metstop(c *Console, _ context.Context, _ Call) (string, error) {
	host, id := c.metrics.host, c.metrics.id
	if !c.metrics.end() {
		c.out.printf("No Metrics Agent detected on id: %s:%s", c.book.Generic(metricsSection, "agent_hostname"), c.book.Generic(metricsSection, "agent_id"))
		return "", nil
	}
	c.out.printf("Stopping Metrics Agent and Display on %s:%s", host, id)
	c.out.print("Metrics Connection closed")
	return "", nil
}
