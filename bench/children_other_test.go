//go:build bench && !linux

package bench

import "fmt"

// play runs this program as one of its own children, which only Linux supports.
func play(role string) error { return fmt.Errorf("there is no role %s here", role) }
