package sysbench

import (
	"testing"
)

// open makes a state that executes a text.
func open(t testing.TB, text string, setup Setup) *State {
	t.Helper()
	s, err := tryOpen(t, text, setup)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tryOpen is open that returns the error of the script.
func tryOpen(t testing.TB, text string, setup Setup) (*State, error) {
	t.Helper()
	if setup.Program == nil {
		p, err := NewProgram("script.lua", map[string]string{"script.lua": text}, nil)
		if err != nil {
			return nil, err
		}
		setup.Program = p
	}
	if setup.Path == "" {
		setup.Path = "script.lua"
	}
	if setup.Command == "" {
		setup.Command = "run"
	}
	if setup.Out == nil {
		setup.Out = t.Output()
	}
	return New(t.Context(), setup)
}
