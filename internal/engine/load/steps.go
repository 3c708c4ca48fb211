package load

import (
	"fmt"
	"time"
)

// stepped is a rate that jumps at given times and is constant between them:
// steps:0s=100/s,30s=500/s.
type stepped struct {
	pieces
	steps []moment
}

func newStepped(text string) (Profile, error) {
	steps, err := parseMoments(text)
	if err != nil {
		return nil, err
	}
	if steps[0].at != 0 {
		return nil, fmt.Errorf("the first step begins at %s: begin with one at 0s", spellTime(steps[0].at))
	}
	corners := make([]moment, 0, 2*len(steps))
	last := time.Duration(-1)
	for i, s := range steps {
		if s.at == last {
			return nil, fmt.Errorf("two steps begin at %s: leave out one", spellTime(s.at))
		}
		if i > 0 {
			corners = append(corners, moment{s.at, steps[i-1].rate})
		}
		corners = append(corners, s)
		last = s.at
	}
	return &stepped{joined(corners...), steps}, nil
}

// String implements Profile.
func (s *stepped) String() string { return "steps:" + spellMoments(s.steps) }
