package job

// Resources says how the resources of the machines of a run were used in the measured time, by the USE method
// (Gregg, Systems Performance (2020), 2.5.9): for each resource its utilization, its saturation and its errors.
type Resources struct {
	// Server is the machine of the database's server: "client", or the name of an agent. It is missing if
	// that machine was not sampled. Cores are its cores.
	Server string `json:"server,omitempty"`
	Cores  int    `json:"server_cores,omitempty"`

	Uses []ResourceUse `json:"uses"`
}

// ResourceUse is one measure of a resource.
type ResourceUse struct {
	Machine  string  `json:"machine"`         // "client", or the name of an agent
	Resource string  `json:"resource"`        // "CPU", "memory", "disk", "network", "event loops", "Sledge"
	Of       string  `json:"of,omitempty"`    // "sda", if a machine may have several
	Aspect   Aspect  `json:"aspect"`          // what the measure says about the resource
	Measure  string  `json:"measure"`         // "in use"
	Unit     string  `json:"unit,omitempty"`  // "%"
	Limit    float64 `json:"limit,omitempty"` // the value from which on a second shows a shortage; missing if no value does

	// Values are missing if the measure was not sampled: the system does not report it.
	Values *UseValues `json:"values,omitempty"`
}

// UseValues are the values of a measure by seconds.
type UseValues struct {
	Mean    float64 `json:"mean"`
	Worst   float64 `json:"worst"`                  // the greatest value of a second
	WorstAt float64 `json:"worst_at_seconds"`       // when that second began, since the measurement began
	Seconds int     `json:"seconds"`                // number of seconds with a value
	Over    int     `json:"over_seconds,omitempty"` // number of seconds that reached the limit; of errors, that had any
}

// Aspect is what a measure says about a resource.
type Aspect string

// The aspects of the USE method.
const (
	Utilization Aspect = "utilization"
	Saturation  Aspect = "saturation"
	Errors      Aspect = "errors"
)

// Use returns the values of a measure of a resource on the machine of the database's server, of the object with the
// greatest mean. It returns nil if the measure has no values, and for nil.
func (r *Resources) Use(resource, measure string) (found *ResourceUse) {
	if r == nil || r.Server == "" {
		return nil
	}
	for i := range r.Uses {
		u := &r.Uses[i]
		if u.Machine == r.Server && u.Resource == resource && u.Measure == measure && u.Values != nil && (found == nil || u.Values.Mean > found.Values.Mean) {
			found = u
		}
	}
	return found
}

// Short reports whether the mean of the measure reaches its limit, or the resource had errors.
func (u ResourceUse) Short() bool {
	switch {
	case u.Values == nil:
		return false
	case u.Aspect == Errors:
		return u.Values.Over > 0
	}
	return u.Limit > 0 && u.Values.Mean >= u.Limit
}

// BackgroundWork is work of the server's own in the measured time of a run, such as a checkpoint.
type BackgroundWork struct {
	Work  string  `json:"work"`          // "checkpoint", "vacuum of stock"
	From  float64 `json:"from_seconds"`  // since the measurement began; to about a second
	Until float64 `json:"until_seconds"` // the end of the measured time, if it went on then

	// Change is by how many percent more transactions ended in each second of the work than in the others. It
	// is negative if the work slowed the run, and missing if the load changed on purpose, or if there are no
	// other seconds.
	Change *float64 `json:"change_percent,omitempty"`
}

// Blocked is what held the locks for which most sampled sessions waited in some time of a run.
type Blocked struct {
	Blocker     string  `json:"blocker"`               // a kind of transaction, or a session of another program
	Transaction string  `json:"transaction,omitempty"` // the kind of which most waited; missing if it is not known
	Sessions    int64   `json:"sessions"`              // number of sampled sessions that waited
	From        float64 `json:"from_seconds"`          // the first second in which one waited, since the measurement began
	Until       float64 `json:"until_seconds"`         // the end of the last one
}

// Slowdown is a time in which a run that works as fast as it can did much less than in most of its seconds.
type Slowdown struct {
	From   float64 `json:"from_seconds"` // since the measurement began
	Until  float64 `json:"until_seconds"`
	Change float64 `json:"change_percent"` // of the transactions that ended in a second, compared with the median: -80

	Class      string   `json:"class,omitempty"`      // of the waits of which there were most more than usual
	Blocked    *Blocked `json:"blocked,omitempty"`    // what held the locks for which most sessions waited; missing if none did
	Background string   `json:"background,omitempty"` // work of the server's own at that time: "checkpoint"

	Others int `json:"others,omitempty"` // number of further slowdowns, each of which cost less
}
