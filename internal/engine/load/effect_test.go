package load

import (
	"fmt"
	"maps"
	"testing"

	"sledge/internal/option"
)

// modes are the ways in which users work, by the options that choose them.
var modes = map[string]option.Values{
	"closed loop":        {},
	"rate":               {"rate": "500/s"},
	"steps":              {"steps": "1,2"},
	"shared connections": {"connections": "2"},
	"clients":            {"async_scale": "true"},
	"reconnect":          {"reconnect": "true"},
	"first failure ends": {"stop_on_failure": "true"},
	"test":               {"driver": "test"},
	"not observed":       {"observe": "false"},
}

// samples has a value that differs from the default, for each option that is not a bool.
var samples = map[string]string{
	"rampup": "3", "duration": "7", "iterations": "5", "driver": "test", "user_delay": "5ms", "rate": "100/s", "skip_late": "100ms", "arrivals": "constant", "steps": "2,3",
	"reconnect_limit": "1m", "reconnects": "3", "reconnect_delay": "1s", "async_clients": "4", "async_delay": "500", "connections": "3",
	"max_retries": "3", "max_failures": "5", "fail_if": "p99>1s", "loops": "0", "on_all_failing": "continue", "agents": "db1", "observe": "false", "pool_file": "", "connect_pool": "",
}

// boundLoad binds options and returns the resulting load as text.
func boundLoad(values option.Values) (string, error) {
	o := NewOptions()
	if err := option.Bind(nil, values, o); err != nil {
		return "", err
	}
	p := o.Pacing()
	text := ""
	if p.Rate.Arrivals != nil {
		for n := range int64(5) {
			text += fmt.Sprint(p.Rate.Arrivals(1).At(n), " ")
		}
	}
	if p.Shifts.Steps != nil {
		text += fmt.Sprint(p.Shifts.Steps(4))
	}
	p.Rate.Arrivals, p.Shifts.Steps = nil, nil
	if !p.Reconnect.Wanted { // without reconnect, the engine ignores these
		p.Reconnect.Limit, p.Reconnect.Most, p.Reconnect.Delay = 0, 0, 0
	}
	return text + fmt.Sprintf("%+v", p), nil
}

// Each option, in each mode, changes the load, or is refused, or its needs say that it has no
// effect.
func TestOptions_NeedWhatTheySay(t *testing.T) {
	known := option.Describe(NewOptions())
	for mode, values := range modes {
		before, err := boundLoad(values)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		for _, o := range known {
			sample, has := samples[o.Name]
			if o.Kind == "bool" && !has {
				sample, has = "true", true
			}
			if _, chosen := values[o.Name]; chosen || has && sample == "" { // the engine checks the options of pools
				continue
			}
			if !has {
				t.Errorf("option %s: add a sample to this test", o.Name)
				continue
			}
			with := maps.Clone(values)
			with[o.Name] = sample
			after, err := boundLoad(with)
			if err != nil {
				continue
			}
			bound := NewOptions()
			_ = option.Bind(nil, with, bound) // as before
			idle := option.FindIdle(known, "run", option.Values{o.Name: sample}, option.Texts(bound), nil)
			if changes := after != before; changes == (len(idle) > 0) {
				t.Errorf("%s, option %s=%s: it has an effect: %t, but its needs say %v", mode, o.Name, sample, changes, idle)
			}
		}
	}
}
