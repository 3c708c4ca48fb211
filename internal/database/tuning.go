package database

import (
	"context"
	"errors"
	"regexp"
	"time"
)

// ErrRestart is returned for a setting that takes effect when the server starts.
var ErrRestart = errors.New("the server must be restarted to change this setting")

// Tuning changes settings of a running server for all sessions that begin afterwards. Its functions
// take a session of role Admin.
type Tuning struct {
	// Identity returns a text that differs between servers and does not depend on the server's address.
	Identity func(ctx context.Context, s Session) (string, error)

	// Read returns a setting. Its error says why the setting cannot be changed, for example because the
	// server does not know it.
	Read func(ctx context.Context, s Session, name string) (Tuned, error)

	// Set sets a setting, or, if to.Set is false, removes what Set has written. It returns once new
	// sessions have the value. It returns ErrRestart if the setting takes effect when the server starts.
	// Then it has written the value only if File is not nil.
	Set func(ctx context.Context, s Session, to Tuned) error

	// File returns the configuration file in which Set writes, with its text, and whether it is proven to be
	// on this machine. It is nil for a server that has no such file, and then Text returns the text of one
	// with settings.
	File func(ctx context.Context, s Session) (path, text string, here bool, err error)
	Text func(settings []Tuned) string

	// Differs reports whether a server that prints a value uses another one than was set, because it
	// rounds. It is nil for a server that refuses such values.
	Differs func(value, printed string) bool

	// Uptime returns how long the server has been running.
	Uptime func(ctx context.Context, s Session) (time.Duration, error)

	// Matter lists settings that may matter to a run whose transactions spend much of their time in waits of a
	// class. None makes commits less durable, and all supported versions of the server have them.
	Matter []TunableSetting

	// Advised matches a command in the remedy of a check that sets a setting. Its groups are the name and the
	// value.
	Advised *regexp.Regexp
}

// TunableSetting is a setting of a server with values to try.
type TunableSetting struct {
	Class   WaitClass
	Name    string
	Values  []string // the usual default first
	Why     string   // in a few words
	Restart bool     // it takes effect when the server starts
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
