package tprocc_test

import (
	"testing"

	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func TestEveryDatabase(t *testing.T) { workloadtest.Run(t, tprocc.Workload, nil, checksSchema) }
