package tproch

import (
	"fmt"
	"strconv"

	"sledge/internal/option"
	"sledge/internal/workload/tproch/dbgen"
)

// Options are the options of TPROC-H that every database has. Their defaults are those of the
// console.
type Options struct {
	option.Naming
	Scale    scale `opt:"scale_factor" group:"schema" main:"true" unit:"GB" flag:"scale" for:"build|check" help:"scale factor, from 0.001 to 10000: 1 is about 1 GB of rows"`
	Builders int   `opt:"builders" group:"schema" main:"true" unit:"virtual users" flag:"builders" for:"build" min:"1" max:"1024" help:"number of virtual users that build the schema in parallel"`

	QuerySets  int  `opt:"query_sets" group:"load" unit:"sets" flag:"query-sets" for:"run" min:"1" max:"1000000" needs:"nothing" help:"number of times each virtual user runs all queries"`
	Validation bool `opt:"validation" group:"load" for:"run" needs:"nothing" help:"use the parameters whose answers the standard publishes, instead of those from the seed"`
	Cloud      bool `opt:"cloud_queries" group:"load" flag:"cloud-queries" for:"run" needs:"nothing" help:"run the 13 cloud analytic queries instead of the 22 queries; they have no parameters and a fixed order"`
	Verbose    bool `opt:"verbose" group:"load" flag:"show-answers" for:"run" needs:"nothing" help:"print each query after it has ended, with its first 20 rows"`

	Test           string `opt:"test" group:"load" flag:"test" for:"run" choices:"queries|power|throughput|both" needs:"nothing" help:"kind of test. power: one virtual user runs the refresh functions before and after stream 0; throughput: the first user runs the refresh functions while each other user runs a stream; both: one test after the other, with a composite figure; queries: no test, the other options decide"`
	Refresh        bool   `opt:"refresh" group:"load" flag:"refresh" for:"run" needs:"test=queries" help:"run the refresh functions: one virtual user runs them before and after its queries, as in the power test; with several, the first user runs nothing else, as in the throughput test"`
	RefreshSets    int    `opt:"refresh_sets" group:"load" unit:"sets" flag:"refresh-sets" for:"run" min:"0" max:"999" needs:"refresh|test!=queries,users!=1" help:"number of refresh sets that the first of several virtual users runs; 0 is one for each stream of queries"`
	Trickle        int    `opt:"refresh_delay" group:"load" unit:"ms" flag:"refresh-delay" for:"run" min:"0" max:"3600000" needs:"refresh|test!=queries,users!=1" help:"milliseconds to wait before each refreshed order; each order is then a separate transaction. The power test does not wait"`
	RefreshVerbose bool   `opt:"refresh_verbose" group:"load" for:"run" needs:"refresh|test!=queries" help:"print each order that the refresh functions insert or delete"`
}

// The values of the option test.
const (
	testQueries    = "queries"
	testPower      = "power"
	testThroughput = "throughput"
	testBoth       = "both"
)

func newOptions() any {
	return &Options{Scale: scale{1}, Builders: 1, QuerySets: 1, Test: testQueries}
}

// refreshes reports whether runs use the refresh functions.
func (o *Options) refreshes() bool { return o.Refresh || o.Test != testQueries }

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	const without = "the cloud analytic queries have no refresh functions: set %s to %s"
	if o.Cloud && o.Test != testQueries {
		return names.Wrong("cloud_queries", "true", without, names.Of("test"), testQueries)
	}
	if o.Cloud && o.Refresh {
		return names.Wrong("cloud_queries", "true", without, names.Of("refresh"), "false")
	}
	if o.Cloud && o.Validation {
		return names.Wrong("cloud_queries", "true", "the cloud analytic queries have no parameters to validate with: set %s to false", names.Of("validation"))
	}
	return nil
}

// scale is a scale factor for which rows can be generated.
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
