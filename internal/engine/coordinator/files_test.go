package coordinator

import (
	"testing"

	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
)

func TestCheckFiles(t *testing.T) {
	for _, tt := range []struct {
		users, shared, limit int
		want                 string
	}{
		{900, 0, 1024, ""},
		{10_000, 0, 0, ""},
		{10_000, 200, 1024, ""},
		{925, 0, 1024, "925 connections need 1025 open files, and this process may have 1024: run ulimit -n 1025 in the shell that starts it, set connections so that virtual users share fewer, or use fewer users"},
		{10_000, 0, 1024, "10000 connections need 10100 open files, and this process may have 1024: run ulimit -n 10100 in the shell that starts it, set connections so that virtual users share fewer, or use fewer users"},
	} {
		p := plantest.New(plantest.User{}, load.Pacing{Connections: load.Connections{Shared: tt.shared}})
		p.Users = tt.users
		got := ""
		if err := checkFiles(p, tt.limit); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%d users, %d connections: got %q, want %q", tt.users, tt.shared, got, tt.want)
		}
	}
}
