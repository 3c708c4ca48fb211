package report

import (
	"testing"

	"sledge/internal/job"
)

func TestActivity_NamesTheGreatestClasses(t *testing.T) {
	shares := []job.ActivityShare{
		{Sessions: 60, Class: "cpu", Statement: "SELECT neword(?)"},
		{Sessions: 1, Class: "cpu", Wait: "updating"},
		{Sessions: 22, Class: "log", Wait: "IO/WalSync"},
		{Sessions: 3, Class: "log", Wait: "LWLock/WALWrite"},
		{Sessions: 9, Class: "lock", Wait: "Lock/tuple"},
		{Sessions: 3, Class: "read", Wait: "IO/DataFileRead"},
		{Sessions: 2, Class: "latch", Wait: "LWLock/x"},
		{Sessions: 500, Class: "write", Wait: "IO/DataFileWrite", Background: "checkpointer"},
	}
	for want, a := range map[string]job.Activity{
		"2.00 active on average in 50 samples: 61.0 % cpu, 25.0 % log (IO/WalSync), 9.0 % lock (Lock/tuple), 3.0 % read (IO/DataFileRead), 2.0 % others": {Samples: 50, Shares: shares},
		"0.90 active on average in 10 samples: 100.0 % lock (row lock, mostly of payment); the samples are coarse: it is off":                            {Samples: 10, Coarse: "it is off", Shares: []job.ActivityShare{{Sessions: 5, Class: "lock", Wait: "row lock", Blocker: "payment"}, {Sessions: 4, Class: "lock", Wait: "row lock", Blocker: "session 7 (mysql)"}}},
		"none was active in 1 sample; 4 more were missed, because the server answered late; they ended early: denied":                                    {Samples: 1, Missed: 4, Error: "denied"},
	} {
		if got := activity(a); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
