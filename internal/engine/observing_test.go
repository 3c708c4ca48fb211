package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/agent"
	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/top"
)

// The holders of locks are those of the samples: of the list of sessions, or of the server's queue for locks. A
// queue without them, as MySQL's for a user without rights, is named as the reason why the tree lacks a session.
func TestObserving_TakesHoldersFromSamples(t *testing.T) {
	listing := database.ActiveSession{ID: "3", Wait: "row lock", Blockers: []string{"9"}}
	queueing := database.ActiveSession{ID: "3", Wait: "updating"}
	queue := func(blocked ...database.Blocked) func(context.Context, database.Session) ([]database.Blocked, error) {
		return func(context.Context, database.Session) ([]database.Blocked, error) { return blocked, nil }
	}
	for name, c := range map[string]struct {
		session database.ActiveSession
		queue   func(context.Context, database.Session) ([]database.Blocked, error)
		holder  string
		lacking string
	}{
		"in the list":           {session: listing, holder: "9"},
		"in the queue":          {session: queueing, queue: queue(database.Blocked{ID: "3", Blocker: "9"}), holder: "9"},
		"nowhere":               {session: queueing, queue: queue(database.Blocked{ID: "3"}), lacking: "does not tell this user who holds"},
		"in another's queue":    {session: queueing, queue: queue(database.Blocked{ID: "4", Blocker: "9"})},
		"in the queue, waiting": {session: database.ActiveSession{ID: "3", Wait: "row lock"}, queue: queue(database.Blocked{ID: "3", Blocker: "9"}), holder: "9"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plantest.New(plantest.User{}, load.Pacing{})
				p.Database.Runs.Waits = database.MustParseWaits("lock row lock\ncpu updating")
				p.Server.Activity = listed(func(context.Context, database.Session) ([]database.ActiveSession, error) {
					return []database.ActiveSession{c.session}, nil
				})
				p.Server.Activity[0].Blocked = c.queue
				p.Server.Version = func(context.Context, database.Session) (string, error) { return "1", nil }
				p.Server.Details = &database.Details{
					Lacking: func(context.Context, database.Session) (string, error) { return "", nil },
					Count:   func(context.Context, database.Session) (int64, int64, error) { return 2, 100, nil },
					List: func(_ context.Context, _ database.Session, ids []string) (list []database.SessionDetail, err error) {
						for _, id := range ids {
							list = append(list, database.SessionDetail{ID: id, User: "anna"})
						}
						return list, nil
					},
					LockWaits: func(context.Context, database.Session) ([]database.LockWait, error) {
						return []database.LockWait{{Waiter: "3", Object: "row of t"}}, nil
					},
				}
				ctx, stop := context.WithTimeout(t.Context(), 2500*time.Millisecond)
				defer stop()
				var last top.Reading
				err := Observing{Job: p.Job, Say: func(line string) { t.Error(line) }, Each: func(r top.Reading) { last = r }}.Run(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if why := last.Missing[top.PartLocks]; !strings.Contains(why, c.lacking) || c.lacking == "" && why != "" {
					t.Errorf("got the reason %q, want %q", why, c.lacking)
				}
				if c.holder == "" {
					if len(last.Locks) > 0 {
						t.Errorf("got the locks %+v, want none", last.Locks)
					}
					return
				}
				if len(last.Locks) != 1 || last.Locks[0].Waiter != "3" || last.Locks[0].Holder != c.holder || last.Locks[0].Object != "row of t" {
					t.Fatalf("got the locks %+v, want that of session 3, which %s holds", last.Locks, c.holder)
				}
				if roots := last.Blockers(); len(roots) != 1 || roots[0].User != "anna" || !roots[0].Idle {
					t.Errorf("got the trees %+v, want one of an idle session of anna", roots)
				}
			})
		})
	}
}

// Agents that a file names may be on other machines than the server. Those that the user names for top are not.
func TestAgentOf_TakesTheFirstIfItIsNamedForTheServer(t *testing.T) {
	list := agent.ListIn(t.TempDir())
	for _, name := range []string{"app", "db1"} {
		if err := list.Put(agent.Saved{Name: name, Address: "192.0.2.1:7343"}, false); err != nil {
			t.Fatal(err)
		}
	}
	p := plantest.New(plantest.User{}, load.Pacing{Kept: load.Kept{Samples: true, Agents: []string{"db1", "app"}}})
	if one, err := AgentOf(list, p, true); err != nil || one == nil || one.Name != "db1" {
		t.Errorf("got %+v, %v, want db1", one, err)
	}
	if one, err := AgentOf(list, p, false); err != nil || one != nil {
		t.Errorf("got %+v, %v, want no agent", one, err)
	}
}
