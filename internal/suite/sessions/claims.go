package sessions

import (
	"errors"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
	"sledge/internal/suite"
)

// testClaims claims the database as builds and runs do, each in its own session.
func (s *tester) testClaims(t suite.T) {
	claims := s.claims(t)
	if claims == nil && s.d.Container.Claim == nil {
		t.Skipf("%s: jobs cannot detect each other", s.d.Title)
	}
	// A claim ends with the test, even if the test is stopped between two claims: a session that
	// remained would keep the database from being dropped.
	ending := func(end func()) (release func()) {
		release = sync.OnceFunc(end)
		t.Cleanup(release)
		return release
	}
	claim := func(shared bool) (taken bool, release func()) {
		t.Helper()
		if claims == nil {
			release, err := s.d.Container.Claim(t.Context(), s.options(t, nil), shared)
			if err != nil && !errors.Is(err, database.ErrClaimed) {
				t.Fatalf("claim: %v", err)
			}
			if err != nil {
				return false, nil
			}
			return true, ending(func() { _ = release() })
		}
		session, err := s.d.Sessions.Connect(t.Context(), s.options(t, nil), database.Owner)
		if err != nil {
			t.Fatalf("connect: %v", err)
		}
		release = ending(func() { _ = session.Close() })
		take := claims.Take
		if shared {
			take = claims.Share
		}
		if taken, err = take(t.Context(), session); err != nil {
			t.Errorf("claim: %v", err)
		}
		if !taken {
			holder, err := claims.Holder(t.Context(), session)
			sharers, err2 := claims.Sharers(t.Context(), session)
			if err = errors.Join(err, err2); err != nil {
				t.Errorf("list the sessions in the way: %v", err)
			}
			t.Logf("sessions in the way: %q, %q", holder, sharers)
			release()
		}
		return taken, release
	}
	const alone, together = false, true
	must := func(shared bool) (release func()) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) { // a server may notice late that a session has ended
			taken, release := claim(shared)
			switch {
			case taken:
				return release
			case time.Now().After(end):
				t.Fatalf("shared %t: the claim was not granted within %s", shared, patience)
			}
		}
	}
	mustNot := func(shared bool, why string) {
		t.Helper()
		if taken, release := claim(shared); taken {
			t.Errorf("shared %t: got a claim %s", shared, why)
			release()
		}
	}
	one, other := must(together), must(together)
	mustNot(alone, "beside two runs")
	one()
	mustNot(alone, "beside a run")
	other()
	build := must(alone)
	mustNot(together, "beside a build")
	mustNot(alone, "beside a build")
	build()
	must(together)()
}

// claims returns the database's own claims, which do not use the suite's SQL.
func (s *tester) claims(t suite.T) *database.Claims {
	t.Helper()
	var places []sqlfile.Place
	for d := s.d; d != nil; d = d.Base {
		places = append(places, sqlfile.Place{Files: d.SQL, Dir: "sql"})
	}
	sql, err := sqlfile.NewLibrary(s.d.Dialect.Placeholder, places...)
	if err != nil {
		t.Fatal(err)
	}
	return s.d.Schema(s.d, sql, nil).Claims
}
