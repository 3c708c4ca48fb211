// Package databasetest runs, as Go tests, the suite that the sessions of every database must pass.
package databasetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/sessions"
	"sledge/internal/suite/suitetest"
)

// Run tests database d on the server that values name.
func Run(t *testing.T, d *database.Database, values option.Values) {
	sessions.Run(suitetest.Of(t), sessions.Subject{Database: d, Values: values})
}

// Sessions tests the sessions of a subject, but not how it connects.
func Sessions(t *testing.T, of sessions.Subject) { sessions.Sessions(suitetest.Of(t), of) }

// Frozen tests that calls to a frozen server can be interrupted.
func Frozen(t *testing.T, d *database.Database, values option.Values, freeze, thaw func()) {
	sessions.Frozen(suitetest.Of(t), d, values, freeze, thaw)
}

// Beside tests that several builds can create the account and the database of the options
// concurrently, and that several deletions can drop them concurrently. The account and the database
// must not exist before.
func Beside(t *testing.T, d *database.Database, options func() any) {
	t.Helper()
	const rounds, sideBySide = 5, 4
	atOnce := func(what string, do func(ctx context.Context, options any) error) {
		t.Helper()
		all, ctx := errgroup.WithContext(t.Context())
		for range sideBySide {
			o := options()
			all.Go(func() error { return do(ctx, o) })
		}
		if err := all.Wait(); err != nil {
			t.Fatalf("%s with %d others: %v", what, sideBySide-1, err)
		}
	}
	drop := func(ctx context.Context, options any) (int, error) {
		results, err := d.Container.Drop(ctx, options, database.DropOptions{})
		for _, r := range results {
			if r.Stays != "" {
				err = errors.Join(err, fmt.Errorf("the %s %s stays: %s", r.Kind, r.Name, r.Stays))
			}
		}
		return len(results), err
	}
	t.Cleanup(func() { _, _ = drop(context.Background(), options()) }) // after a failed round
	for range rounds {
		atOnce("create", func(ctx context.Context, options any) error {
			return d.Container.Create(ctx, options, func(job.Event) {})
		})
		s, err := d.Sessions.Connect(t.Context(), options(), database.Owner)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		atOnce("drop", func(ctx context.Context, options any) error { _, err := drop(ctx, options); return err })
		if left, err := drop(t.Context(), options()); left > 0 || err != nil {
			t.Fatalf("drop after all is dropped: got %d results and %v, want none", left, err)
		}
		if _, err := d.Sessions.Connect(t.Context(), options(), database.Owner); !errors.Is(err, database.ErrMissing) {
			t.Fatalf("connect after all is dropped: got %v, want a missing database", err)
		}
	}
}
