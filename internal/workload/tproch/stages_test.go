package tproch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sledge/internal/option"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch"
)

// story lists the work of each user in each stage: its streams, identified by their first queries,
// and its refresh functions with their sets.
func story(t *testing.T, users int, survey any, values option.Values) (told []string, err error) {
	t.Helper()
	options := tproch.Workload.Options()
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	names, err := tproch.Workload.Users.Stages(options, users, survey)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{""}
	}
	firsts := map[string]int{"query 14": 0, "query 21": 1, "query 6": 2, "query 8": 3}
	for _, name := range names {
		for number := range users {
			user := tproch.Workload.Users.NewTerminal(workload.Slot{Number: number, Users: users, Seed: 1, Options: options, Survey: survey, Stage: name, SQL: portable(t)})
			var acts []string
			queries := 0
			for {
				next, more := user.Pick()
				if !more {
					break
				}
				kind := tproch.Workload.Kinds[next.Kind].Name
				function, refresh := strings.CutSuffix(kind, " sales refresh")
				if next.Unlimited != refresh {
					t.Errorf("%s: got unlimited %v, want a time limit for queries and none for refresh functions", kind, next.Unlimited)
				}
				switch {
				case refresh:
					acts = append(acts, fmt.Sprintf("%s %d", function, tproch.Set(next.Inputs)))
				case queries%22 == 0:
					acts = append(acts, fmt.Sprintf("stream %d", firsts[kind]))
				}
				if !refresh {
					queries++
				}
			}
			if len(acts) > 0 {
				told = append(told, fmt.Sprintf("%s: user %d: %s", name, number+1, strings.Join(acts, ", ")))
			}
		}
	}
	return told, nil
}

func TestStages_AssignWorkToUsers(t *testing.T) {
	fresh := tproch.Survey(0.01, 0, 0) // 15 orders in a set
	for _, tt := range []struct {
		name   string
		users  int
		survey any
		values option.Values
		want   []string
	}{
		{"queries by one", 1, fresh, nil, []string{": user 1: stream 0"}},
		{"queries by several", 2, fresh, nil, []string{": user 1: stream 1", ": user 2: stream 2"}},
		{"refresh with one user is the power test", 1, fresh, option.Values{"refresh": "true"}, []string{"power test: user 1: new 1, stream 0, old 1"}},
		{"the power test has one refresh set regardless of refresh_sets", 1, fresh, option.Values{"refresh": "true", "refresh_sets": "3"}, []string{"power test: user 1: new 1, stream 0, old 1"}},
		{
			"refresh with several is the throughput test, with a set for each stream", 3, fresh,
			option.Values{"refresh": "true"},
			[]string{"throughput test: user 1: new 1, old 1, new 2, old 2", "throughput test: user 2: stream 1", "throughput test: user 3: stream 2"},
		},
		{
			"as many sets as refresh_sets", 2, fresh,
			option.Values{"test": "throughput", "refresh_sets": "2"},
			[]string{"throughput test: user 1: new 1, old 1, new 2, old 2", "throughput test: user 2: stream 1"},
		},
		{
			"both tests, after the sets of earlier runs", 2, tproch.Survey(0.01, 45, 45),
			option.Values{"test": "both"},
			[]string{"power test: user 1: new 4, stream 0, old 4", "throughput test: user 1: new 5, old 5", "throughput test: user 2: stream 1"},
		},
		{
			"a run completes a set that was killed while it inserted", 1, tproch.Survey(0.01, 37, 30),
			option.Values{"test": "power"},
			[]string{"rest of a refresh set: user 1: new 3, old 3", "power test: user 1: new 4, stream 0, old 4"},
		},
		{
			"a run completes a set that was killed while it deleted", 1, tproch.Survey(0.01, 45, 44),
			option.Values{"test": "power"},
			[]string{"rest of a refresh set: user 1: old 3", "power test: user 1: new 4, stream 0, old 4"},
		},
		{
			"a run completes a set that was killed between the two functions", 1, tproch.Survey(0.01, 45, 30),
			option.Values{"test": "power"},
			[]string{"rest of a refresh set: user 1: old 3", "power test: user 1: new 4, stream 0, old 4"},
		},
		{"the last set is used", 1, tproch.Survey(0.01, 998*15, 998*15), option.Values{"test": "power"}, []string{"power test: user 1: new 999, stream 0, old 999"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := story(t, tt.users, tt.survey, tt.values)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestStages_RefuseImpossibleTests(t *testing.T) {
	for _, tt := range []struct {
		test   string
		users  int
		survey any
		want   string
	}{
		{"power", 2, tproch.Survey(0.01, 0, 0), "one virtual user"},
		{"both", 1, tproch.Survey(0.01, 0, 0), "two virtual users"},
		{"throughput", 1, tproch.Survey(0.01, 0, 0), "two virtual users"},
		{"power", 1, tproch.Survey(0.01, 999*15, 999*15), "needs 1 refresh sets, and of 999 the schema has 0 left"},
		{"both", 3, tproch.Survey(0.01, 997*15, 997*15), "needs 3 refresh sets, and of 999 the schema has 2 left"},
	} {
		_, err := story(t, tt.users, tt.survey, option.Values{"test": tt.test})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s by %d users: got %v, want %q", tt.test, tt.users, err, tt.want)
		}
	}
}
