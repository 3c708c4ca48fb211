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
}

// samples are values that differ from the defaults, of options whose kind does not give one.
var samples = map[string]string{
	"rampup": "3", "duration": "7", "iterations": "5", "driver": "test", "user_delay": "5ms", "rate": "100/s", "arrivals": "constant", "steps": "2,3",
	"reconnect_limit": "1m", "reconnects": "3", "reconnect_delay": "1s", "async_clients": "4", "async_delay": "500", "connections": "3",
	"max_retries": "3", "max_failures": "5", "fail_if": "p99>1s", "loops": "0", "on_all_failing": "continue", "pool_file": "", "connect_pool": "",
}

// comesTo binds options and spells what they come to.
func comesTo(values option.Values) (string, error) {
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
	if !p.Reconnect.Wanted { // which whatever looks at these asks first
		p.Reconnect.Limit, p.Reconnect.Most, p.Reconnect.Delay = 0, 0, 0
	}
	return text + fmt.Sprintf("%+v", p), nil
}

// Each option, in each mode, changes what users do, or is refused, or is known to do neither by
// its needs.
func TestOptions_NeedWhatTheySay(t *testing.T) {
	known := option.Describe(NewOptions())
	for mode, values := range modes {
		before, err := comesTo(values)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		for _, o := range known {
			sample, has := samples[o.Name]
			if o.Kind == "bool" && !has {
				sample, has = "true", true
			}
			if _, chosen := values[o.Name]; chosen || has && sample == "" { // of a pool the engine decides
				continue
			}
			if !has {
				t.Errorf("option %s: give it a sample in this test", o.Name)
				continue
			}
			with := maps.Clone(values)
			with[o.Name] = sample
			after, err := comesTo(with)
			if err != nil {
				continue
			}
			bound := NewOptions()
			_ = option.Bind(nil, with, bound) // as before
			idle := option.FindIdle(known, "run", option.Values{o.Name: sample}, option.Texts(bound), nil)
			if changes := after != before; changes == (len(idle) > 0) {
				t.Errorf("%s, option %s=%s: it has an effect: %t, and its needs say %v", mode, o.Name, sample, changes, idle)
			}
		}
	}
}
