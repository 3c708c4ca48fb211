package tprocc_test

import (
	"testing"

	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
	"sledge/internal/workload/workloadtest"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func TestEveryDatabase(t *testing.T) {
	short := option.Values{"rampup": "0s", "duration": "2s"}
	client := option.Values{"rampup": "0s", "duration": "2s", "no_stored_procs": "true", "deck": "true", "allwarehouse": "true"}
	workloadtest.Run(t, tprocc.Workload, []workloadtest.Variant{
		{Name: "routines", Build: option.Values{"count_ware": "2", "num_vu": "2"}, Run: short, Databases: "postgresql mariadb mysql"},
		{Name: "procedures", Build: option.Values{"storedprocs": "true"}, Run: short, Databases: "postgresql"},
		{Name: "prepared", Run: option.Values{"rampup": "0s", "duration": "2s", "prepared": "true"}, Databases: "mariadb mysql"},
		{Name: "client SQL", Run: client},
	})
}
