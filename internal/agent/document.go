// Package agent watches other machines through agents, which sample their machines once a second. It
// has the document of an agent, its client, and the file of saved agents. It does not know jobs in
// progress, and does not sample. An agent that was started to allow it also restarts its machine's server.
package agent

import (
	"bytes"
	"encoding/json"
	"time"

	"sledge/internal/job"
)

// Schema names the version of Document. A client accepts no other.
const Schema = "sledge-agent-1"

// Paths for clients with the token for changes. An agent answers only what it was started to allow.
const (
	RestartPath  = "/v1/restart"  // POST restarts the server, and answers when the command has ended
	SettingsPath = "/v1/settings" // GET and PUT a SettingsFile
)

// What an agent can be started to allow.
const (
	AllowRestart  = "restart"
	AllowSettings = "settings"
)

// Path is the path of an agent's document. The parameter start is the Start of the last answer, and
// after the number of the last reading that the client has.
const Path = "/v1/readings"

// Document is the answer of an agent. Times in nanoseconds count from the start of the agent, by a
// monotonic clock.
type Document struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of Sledge
	Start   string `json:"start"`   // identifies this start of the agent; readings count from 1 in it

	Received int64     `json:"received_ns"` // when the request was received
	Sent     int64     `json:"sent_ns"`     // when the answer was sent
	Clock    time.Time `json:"clock"`       // the wall clock of the machine at that time

	// Pause is how long the client should wait before it asks again. It is longer than a second if the
	// agent has many clients; no reading is lost by it.
	Pause int64 `json:"pause_ns"`

	// Allows has what the client may change, such as restart: sorted, and none with the token that only watches.
	Allows []string `json:"allows,omitempty"`

	Host *job.Host `json:"host,omitempty"` // only for a client that did not name this start

	// Last is the number of the newest reading; 0 if there is none. Readings are the kept ones after
	// the client's last, the oldest first: none for a client that did not name this start. If an
	// answer would become too long, it has only the first of them.
	Last     int64     `json:"last"`
	Readings []Reading `json:"readings,omitempty"`
}

// Reading holds the samples of a second.
type Reading struct {
	Number  int64        `json:"number"`
	At      int64        `json:"at_ns"`
	Samples []job.Sample `json:"samples"` // without the label machine
}

// With encodes the document with readings that are encoded already.
func (d Document) With(readings [][]byte) ([]byte, error) {
	text, err := json.Marshal(d)
	if err != nil || len(readings) == 0 {
		return text, err
	}
	text = append(text[:len(text)-1], `,"readings":[`...)
	text = append(text, bytes.Join(readings, []byte{','})...)
	return append(text, `]}`...), nil
}
