package load

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/agent"
)

// agents are the names of saved agents.
type agents []string

// noAgents is the value for none.
const noAgents = "none"

// mostAgents limits the agents of a run.
const mostAgents = 100

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *agents) UnmarshalText(text []byte) error {
	*a = nil
	if string(text) == noAgents {
		return nil
	}
	for name := range strings.SplitSeq(string(text), ",") {
		name = strings.TrimSpace(name)
		if err := agent.CheckName(name); err != nil {
			return err
		}
		if slices.Contains(*a, name) {
			return fmt.Errorf("%s is named twice", name)
		}
		*a = append(*a, name)
	}
	if len(*a) > mostAgents {
		return fmt.Errorf("it names %d agents, more than %d", len(*a), mostAgents)
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (a agents) MarshalText() ([]byte, error) {
	if len(a) == 0 {
		return []byte(noAgents), nil
	}
	return []byte(strings.Join(a, ",")), nil
}

// Kind names the type for people.
func (agents) Kind() string { return "agents" }
