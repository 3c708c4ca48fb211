package database

import "context"

// Tuning changes settings of a running server for all sessions that begin afterwards. Its functions
// take a session of role Admin. Settings that need a restart of the server are refused.
type Tuning struct {
	// Identity returns a text that differs between servers and does not depend on the server's address.
	Identity func(ctx context.Context, s Session) (string, error)

	// Read returns a setting. Its error says why the setting cannot be changed: the server does not
	// know it, or needs a restart.
	Read func(ctx context.Context, s Session, name string) (Tuned, error)

	// Set sets a setting, or, if to.Set is false, removes what Set has written. It returns once new
	// sessions have the value.
	Set func(ctx context.Context, s Session, to Tuned) error
}

// Tuned is a setting of a server.
type Tuned struct {
	Name  string `json:"name"`
	Value string `json:"value"` // what Set writes; for Read: what is written now
	Set   bool   `json:"set"`   // whether the place that Set writes to has a value

	// Only Read returns these: the value that new sessions have, as the server prints it, and what decides
	// it instead of the written value; "" if that is in effect.
	InEffect  string `json:"in_effect"`
	DecidedBy string `json:"decided_by,omitempty"`
}
