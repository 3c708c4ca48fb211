//go:build bench && !linux

package bench

import "fmt"

// play is what this program does as one of its own children: on Linux alone.
func play(role string) error { return fmt.Errorf("there is no role %s here", role) }
