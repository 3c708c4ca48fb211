package tproch

import (
	"sledge/internal/option"
	"sledge/internal/workload"
)

// variants are Workload.Variants.
var variants = []workload.Variant{
	{
		Name: "queries and refreshes", Build: option.Values{"scale_factor": "0.01", "builders": "2"}, Run: option.Values{"refresh": "true"},
		RoundTrips: [2]float64{1, 2}, Without: []string{"cloud"},
	},
	{
		Name: "queries with the parameters of the standard", Run: option.Values{"validation": "true"},
		RoundTrips: [2]float64{1, 1}, Without: []string{"cloud", "new", "old"}, Afar: true,
	},
	{
		Name: "cloud queries", Run: option.Values{"cloud_queries": "true", "verbose": "true"},
		RoundTrips: [2]float64{1, 1}, Without: []string{"query", "new", "old"},
	},
}
