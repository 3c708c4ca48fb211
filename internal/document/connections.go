package document

import (
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// Connections lists the saved connections.
type Connections struct {
	Schema      string       `json:"schema"` // always ConnectionsSchema
	Connections []Connection `json:"connections"`
}

// Connection is a saved connection, without its passwords.
type Connection struct {
	Name     string            `json:"name"`
	Database string            `json:"database"`
	Target   string            `json:"target"` // the target with the default workload
	Values   map[string]string `json:"values"` // by the names of options
	Kept     []string          `json:"kept"`   // the options whose passwords are saved
}

// NewConnections returns the document of connections.
func NewConnections(b settings.Resolver, list []settings.Connection) Connections {
	d := Connections{Schema: ConnectionsSchema, Connections: []Connection{}}
	for _, one := range list {
		d.Connections = append(d.Connections, NewConnection(b, one))
	}
	return d
}

// NewConnection returns the document of one connection.
func NewConnection(b settings.Resolver, c settings.Connection) Connection {
	public, secrets := b.Public(c)
	d := Connection{Name: c.Name, Database: c.Database, Values: public.Values, Kept: orEmpty(secrets)}
	if pair, err := b.Pair(c.Database, b.DefaultWorkload().Name); err == nil {
		options := pair.Database.Options.New(pair.Workload.Use)
		if option.Bind(nil, public.Values, options) == nil {
			d.Target = pair.Database.Options.Target(options)
		}
	}
	return d
}

// Trial is the result of a connection test.
type Trial struct {
	Schema   string            `json:"schema"` // always TrialSchema
	Database string            `json:"database"`
	Workload string            `json:"workload"`
	Target   string            `json:"target"`
	OK       bool              `json:"ok"`      // whether a run or a build could log in
	State    settings.State    `json:"state"`   // "unreachable", "refused", "no_database", "no_schema", "half_built", "unusable" or "ready"
	Remarks  []settings.Remark `json:"remarks"` // the findings, one line each
	Failure  *Error            `json:"failure,omitempty"`
	Option   string            `json:"option,omitempty"` // the option to change, if the login of a run failed and the option is known

	Server         string            `json:"server,omitempty"`        // the server's version
	Product        string            `json:"product,omitempty"`       // the actual product, if it is not the chosen one
	RoundTrip      float64           `json:"round_trip_ms,omitempty"` // median of several round trips
	Unproven       string            `json:"unproven,omitempty"`      // what Sledge has not tested on such a server, in sentences
	Durability     *job.Durability   `json:"durability,omitempty"`
	ServerSettings map[string]string `json:"server_settings,omitempty"`
	Lacking        []string          `json:"lacking,omitempty"` // missing privileges that a build may need
	Data           string            `json:"data,omitempty"`    // "10 warehouses"
}

// NewTrial returns the document of a connection test.
func NewTrial(order settings.Order, t settings.ConnectionTest) Trial {
	p := order.Plan
	d := Trial{
		Schema: TrialSchema, Database: p.Database.Name, Workload: p.Workload.Name, Target: p.Database.Options.Target(p.Connection),
		OK: t.Failure == nil, State: t.State, Option: t.Option, Remarks: t.Remarks, Lacking: t.Lacking, Data: t.Schema,
	}
	if t.Failure != nil {
		failure := NewError(job.ExitOf(t.Failure), t.Failure, t.Failure.Error())
		d.Failure = &failure
	}
	if f := t.Facts; f != nil {
		const perMilli = 1e6
		d.Server, d.Product, d.Unproven, d.Durability, d.ServerSettings = f.Server, f.Product, f.Unproven, f.Durability, f.ServerSettings
		d.RoundTrip = float64(t.RoundTrip) / perMilli
	}
	return d
}
