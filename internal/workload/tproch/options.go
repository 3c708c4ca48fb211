package tproch

import (
	"fmt"
	"strconv"

	"sledge/internal/option"
	"sledge/internal/workload/tproch/dbgen"
)

// Options are the options of TPROC-H that every database has. Their defaults are those that
// people know from the console.
type Options struct {
	option.Naming
	Scale    scale `opt:"scale_factor" group:"schema" main:"true" unit:"GB" flag:"scale" for:"build|check" help:"scale factor: about how many GB of rows to build, from 0.001 to 10000"`
	Builders int   `opt:"builders" group:"schema" main:"true" unit:"virtual users" flag:"builders" for:"build" min:"1" max:"1024" help:"virtual users that build the schema side by side"`

	QuerySets  int  `opt:"query_sets" group:"load" unit:"sets" flag:"query-sets" for:"run" min:"1" max:"1000000" help:"how often each virtual user asks all queries"`
	Validation bool `opt:"validation" group:"load" help:"ask with the parameters for which the standard gives the answers, instead of those that the seed gives"`
	Cloud      bool `opt:"cloud_queries" group:"load" flag:"cloud-queries" for:"run" help:"ask the 13 cloud analytic queries instead of the 22: they have no parameters, and are asked in one order"`
	Verbose    bool `opt:"verbose" group:"load" flag:"show-answers" for:"run" help:"show each query when it has ended, and the first 20 rows that it returned"`

	Refresh        bool `opt:"refresh" group:"load" soon:"true" help:"have the first virtual user run the refresh functions; not built yet, so a job with it is refused"`
	RefreshSets    int  `opt:"refresh_sets" group:"load" soon:"true" min:"1" help:"sets of refresh functions, which are not built yet"`
	Trickle        int  `opt:"refresh_delay" group:"load" soon:"true" min:"0" help:"milliseconds between two refreshed orders, which are not built yet"`
	RefreshVerbose bool `opt:"refresh_verbose" group:"load" soon:"true" help:"print what the refresh functions do, which are not built yet"`
}

func newOptions() any {
	return &Options{Scale: scale{1}, Builders: 1, QuerySets: 1, RefreshSets: 1, Trickle: 1000}
}

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	for _, missing := range []struct {
		name  string
		asked bool
	}{{"refresh", o.Refresh}} {
		if missing.asked {
			return names.Wrong(missing.name, "true", "what it asks for is not built yet: set it to false")
		}
	}
	if o.Cloud && o.Validation {
		return names.Wrong("cloud_queries", "true", "the cloud analytic queries have no parameters, so there are none to validate with: set %s to false", names.Of("validation"))
	}
	return nil
}

// scale is a scale factor that rows can be made for.
type scale struct{ factor float64 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *scale) UnmarshalText(text []byte) error {
	factor, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", text)
	}
	if _, err := dbgen.NewScale(factor); err != nil {
		return err
	}
	s.factor = factor
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (s scale) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s scale) String() string { return strconv.FormatFloat(s.factor, 'f', -1, 64) }

// Kind names the type for people.
func (scale) Kind() string { return "number" }
