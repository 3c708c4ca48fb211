package load

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"sledge/internal/option"
)

func TestSteps_AreParsed(t *testing.T) {
	const users, measured = 4, 5 * time.Minute
	for _, tt := range []struct {
		text, spelled string
		want          Steps
	}{
		{"none", "none", nil},
		{"4,8,16", "4,8,16", Steps{{0, 4}, {100 * time.Second, 8}, {200 * time.Second, 16}}}, // thirds of 300 s
		{"4,8,16@1m", "0s=4,60s=8,120s=16", Steps{{0, 4}, {time.Minute, 8}, {2 * time.Minute, 16}}},
		{"0s=4,1.5s=0,10s=2", "0s=4,1.5s=0,10s=2", Steps{{0, 4}, {1500 * time.Millisecond, 0}, {10 * time.Second, 2}}},
		{"+2@1m/1m,+3@90s", "+2@60s/60s,+3@90s", Steps{{0, 4}, {time.Minute, 6}, {90 * time.Second, 9}, {2 * time.Minute, 7}}},
		// As in HammerDB's file: all leave at the end of the measured time.
		{"+2@1m/4m,+2@2m/3m", "+2@60s/240s,+2@120s/180s", Steps{{0, 4}, {time.Minute, 6}, {2 * time.Minute, 8}}},
		{"+2@1m/1m,+2@2m/1m", "+2@60s/60s,+2@120s/60s", Steps{{0, 4}, {time.Minute, 6}, {3 * time.Minute, 4}}}, // two users join when the other two leave
	} {
		var h headcount
		if err := h.UnmarshalText([]byte(tt.text)); err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := h.of(users, measured); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
		if got, err := h.MarshalText(); err != nil || string(got) != tt.spelled {
			t.Errorf("%s: spelled %s, %v; want %s", tt.text, got, err, tt.spelled)
		}
	}
}

func TestSteps_RefuseInvalidTexts(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"steps": "four"}, `option steps: "four" is not a number of virtual users from 0 to 100000`},
		{option.Values{"steps": "4,-1"}, `"-1" is not a number`},
		{option.Values{"steps": "4@soon"}, `"soon" is not a time such as`},
		{option.Values{"steps": "4,8@0s"}, "the step from 0s to 0s is shorter than the minimum of 1s"},
		{option.Values{"steps": "5s=4"}, "the first step begins at 5s: begin with one at 0s"},
		{option.Values{"steps": "0s=4,20s=2,10s=3"}, "10s comes after 20s: put them in order"},
		{option.Values{"steps": "0s=4,8"}, `"8" is not a time, =`},
		{option.Values{"steps": "4,0"}, "no user would work in the last step: leave it out"},
		{option.Values{"steps": "+2"}, `"+2" is not +, a number of virtual users, @ and a time`},
		{option.Values{"steps": "+2@1m,4@2m"}, `"4@2m" is not +`},
		{option.Values{"steps": "+2@1m/0s"}, `"+2@1m/0s" has virtual users that leave when they join`},
		{option.Values{"steps": "4" + strings.Repeat(",4", 100)}, "it has more than 100 steps"},
		{option.Values{"steps": "4,8", "driver": "test"}, "driver is test, in which users do their iterations without a time limit: set it to timed"},
		{option.Values{"steps": "4,8", "rate": "10/s"}, "rate sets when transactions start, regardless of the number of users: leave out one of the two"},
		{option.Values{"steps": "4,8@5m"}, "the step at 300s begins when the 300s of duration are over: measure for longer, or leave it out"},
		{option.Values{"steps": "4,8,16", "duration": "2s"}, "is shorter than the minimum of 1s: measure for longer"},
		{option.Values{"steps": "+2@1m/5m"}, "users that join at 60s for 300s would stay beyond the 300s of duration"},
		{option.Values{"steps": "4,104@10s", "duration": "20s", "user_delay": "500ms"}, "option user_delay: the last of the 100 users that join at 10s would begin 49.5s later, when the step is over: set it to less than 101ms"},
	} {
		err := option.Bind(nil, tt.values, NewOptions())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %q", tt.values, err, tt.want)
		}
	}
}

func TestShiftsOf(t *testing.T) {
	const s = time.Second
	pacing := Pacing{RampUp: 10 * s, Shifts: Shifts{UserDelay: s}}
	steps := Steps{{0, 2}, {20 * s, 4}, {40 * s, 1}, {60 * s, 3}}
	for user, want := range [][]Shift{
		{{0, Never}},
		{{1 * s, 50 * s}, {70 * s, Never}}, // leaves after the second step and comes back first
		{{30 * s, 50 * s}, {71 * s, Never}},
		{{31 * s, 50 * s}},
		nil,
	} {
		if got := pacing.ShiftsOf(steps, user); !reflect.DeepEqual(got, want) {
			t.Errorf("user %d: got %v, want %v", user, got, want)
		}
	}
	if got, want := pacing.ShiftsOf(nil, 3), []Shift{{3 * s, Never}}; !reflect.DeepEqual(got, want) {
		t.Errorf("without steps: got %v, want %v", got, want)
	}
}
