package load

import (
	"fmt"
	"maps"
	"slices"
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

// idle lists the options that may be set in a mode in which they mean nothing, and why.
var idle = map[string]map[string]string{
	"async_clients": everywhereBut("the console's dictionaries always have it", "clients"),
	"async_delay":   everywhereBut("the console's dictionaries always have it", "clients"),
	"async_verbose": everywhereBut("the console's dictionaries always have it", "clients"),
	"time_profile":  {"test": "the console's dictionaries always have it"},
}

func everywhereBut(why string, but ...string) map[string]string {
	list := map[string]string{}
	for mode := range modes {
		if !slices.Contains(but, mode) {
			list[mode] = why
		}
	}
	return list
}

// comesTo binds options and spells what they come to.
func comesTo(values option.Values) (string, error) {
	o := NewOptions()
	if err := option.Bind(nil, values, o); err != nil {
		return "", err
	}
	p := o.Pacing()
	text := ""
	if p.Arrivals != nil {
		for n := range int64(5) {
			text += fmt.Sprint(p.Arrivals(1).At(n), " ")
		}
	}
	if p.Steps != nil {
		text += fmt.Sprint(p.Steps(4))
	}
	p.Arrivals, p.Steps = nil, nil
	return text + fmt.Sprintf("%+v", p), nil
}

// Each option, in each mode, is refused or changes what users do.
func TestOptions_HaveAnEffectOrAreRefused(t *testing.T) {
	for mode, values := range modes {
		before, err := comesTo(values)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		for _, o := range option.Describe(NewOptions()) {
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
			why, known := idle[o.Name][mode]
			switch changes := err != nil || after != before; {
			case !changes && !known:
				t.Errorf("%s, option %s=%s: it is taken and has no effect: refuse it", mode, o.Name, sample)
			case changes && known:
				t.Errorf("%s, option %s=%s: it has an effect or is refused, and is listed as idle (%s)", mode, o.Name, sample, why)
			}
		}
	}
}
