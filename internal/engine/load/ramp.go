package load

import (
	"fmt"
	"time"
)

// ramp is a rate that changes linearly from one value to another and then stays:
// ramp:100/s,1000/s,60s.
type ramp struct {
	pieces
	from, to float64
	over     time.Duration
}

func newRamp(text string) (Profile, error) {
	r := &ramp{}
	if err := readParts(text, &r.from, &r.to, &r.over); err != nil {
		return nil, err
	}
	if r.over == 0 {
		return nil, fmt.Errorf("a ramp takes longer than 0s")
	}
	r.pieces = joined(moment{0, r.from}, moment{r.over, r.to})
	return r, nil
}

// String implements Profile.
func (r *ramp) String() string {
	return "ramp:" + spellRate(r.from) + "," + spellRate(r.to) + "," + spellTime(r.over)
}
