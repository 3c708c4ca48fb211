//go:build bench

package bench

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/option"
)

const (
	buildWarehouses = 4
	builders        = 2
)

// buildable is a server on which sledge can build a schema.
type buildable interface {
	name() string
	title() string
	values() option.Values
	drop(t *testing.T)
}

// loadable is a server that sledge and the server's own client can load.
type loadable interface {
	buildable
	emptyTables(t *testing.T, warehouses int)
	bareLoad(t *testing.T, share []loadFile) (env []string, path string, arguments []string)
}

// TestBuildPostgreSQL compares a complete build, from an empty server to a schema with indexes,
// routines and statistics, with psql's \copy of the same rows from files into tables in their state
// before the load.
func TestBuildPostgreSQL(t *testing.T) {
	compareBuild(t, openPostgreSQL(t, "bench"), `psql \copy`)
}

// TestBuildMariaDB compares a build with LOAD DATA LOCAL INFILE.
func TestBuildMariaDB(t *testing.T) {
	compareBuild(t, openMariaDB(t, "bench"), "LOAD DATA")
}

// TestBuildMySQL is TestBuildMariaDB on MySQL.
func TestBuildMySQL(t *testing.T) {
	compareBuild(t, openMySQL(t, "mysql", "bench"), "LOAD DATA")
}

func compareBuild(t *testing.T, s loadable, bare string) {
	shares := writeLoadFiles(t, population(buildWarehouses), builders)
	var built, copied []float64
	for range rounds() {
		s.drop(t)
		built = append(built, build(t, s, buildWarehouses, builders).Seconds())
		s.drop(t)
		s.emptyTables(t, buildWarehouses)
		copied = append(copied, loadBare(t, s, shares).Seconds())
	}
	s.drop(t)
	ratio := ratios(built, copied)
	note(t, figure{
		What:  fmt.Sprintf("%s: build of %d warehouses, %d builders, against bare %s by %d clients", s.title(), buildWarehouses, builders, bare, builders),
		Value: median(ratio), Unit: "x", Target: atMost(1.3),
		Detail: fmt.Sprintf("%.1f s against %.1f s; %s", median(built), median(copied), spread(ratio)),
	})
}

// build builds a schema as a user would, and returns how long that took.
func build(t *testing.T, s buildable, warehouses, builders int) time.Duration {
	t.Helper()
	arguments := sledge("build", s.name(), s.values(), "--warehouses", strconv.Itoa(warehouses), "--builders", strconv.Itoa(builders))
	return execute(t, nil, sledgeProgram, arguments...).wall
}

// loadBare loads all shares at once, each with its own client.
func loadBare(t *testing.T, s loadable, shares [][]loadFile) time.Duration {
	t.Helper()
	var clients errgroup.Group
	commands := make([]*exec.Cmd, len(shares))
	for i, share := range shares {
		env, path, arguments := s.bareLoad(t, share)
		commands[i] = command(t, env, path, arguments...)
	}
	start := time.Now()
	for _, c := range commands {
		clients.Go(func() error {
			if output, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", c.Path, err, lastLines(string(output)))
			}
			return nil
		})
	}
	if err := clients.Wait(); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}
