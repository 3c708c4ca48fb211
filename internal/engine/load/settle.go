package load

import (
	"fmt"
	"time"

	"sledge/internal/option"
)

// rampUp is the option rampup: a time, or auto, which ends the ramp-up when the rate has settled.
type rampUp struct {
	option.Minutes
	auto bool
}

// LongestRampUp is the length of a ramp-up in which the rate does not settle.
const LongestRampUp = 10 * time.Minute

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *rampUp) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*r = rampUp{auto: true}
		return nil
	}
	*r = rampUp{}
	if err := r.Minutes.UnmarshalText(text); err != nil {
		return fmt.Errorf("%w; auto ends it when the rate has settled", err)
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (r rampUp) MarshalText() ([]byte, error) {
	if r.auto {
		return []byte("auto"), nil
	}
	return r.Minutes.MarshalText()
}

// Kind returns the name of the type for people.
func (rampUp) Kind() string { return "minutes, or auto" }

// longest returns the longest time that the ramp-up can take.
func (r rampUp) longest() time.Duration {
	if r.auto {
		return LongestRampUp
	}
	return time.Duration(r.Minutes)
}
