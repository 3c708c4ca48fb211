package redis

import (
	"context"
	_ "embed" // for counters.txt
	"maps"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
)

//go:embed counters.txt
var describedCounters string

// counters is Server.Counters. All sections of INFO are of one moment. Each gets the time since the
// server started, which shows a restart.
func counters(ctx context.Context, of database.Session) ([]database.CounterSource, error) {
	said, err := of.(*session).ask(ctx, "INFO", "all")
	if err != nil {
		return nil, err
	}
	var list []database.CounterSource
	var uptime database.CounterValue
	for line := range strings.Lines(text(said)) {
		line = strings.TrimSpace(line)
		if title, is := strings.CutPrefix(line, "# "); is {
			list = append(list, database.CounterSource{Name: strings.ToLower(title)})
			continue
		}
		name, value, is := strings.Cut(line, ":")
		if !is || len(list) == 0 {
			continue
		}
		source := &list[len(list)-1]
		if name == "uptime_in_seconds" {
			uptime = database.CounterValue{Name: name, Value: value}
		}
		command, is := strings.CutPrefix(name, "cmdstat_")
		if !is {
			source.Values = append(source.Values, database.CounterValue{Name: name, Value: value})
			continue
		}
		for pair := range strings.SplitSeq(value, ",") {
			name, value, _ := strings.Cut(pair, "=")
			source.Values = append(source.Values, database.CounterValue{Of: command, Name: name, Value: value})
		}
	}
	for i := range list {
		list[i].Values = append(list[i].Values, uptime)
	}
	return list, nil
}

// counterRates is Server.CounterRates.
func counterRates(ctx context.Context, of database.Session) ([]database.CounterRate, error) {
	s := of.(*session)
	cpu, err := s.info(ctx, "cpu")
	if err != nil {
		return nil, err
	}
	stats, err := s.info(ctx, "stats")
	var list []database.CounterRate
	for _, one := range []struct {
		found      map[string]string
		name       string
		series, of string
		unit       string
		divisor    float64
	}{
		{cpu, "used_cpu_user_main_thread", "server's main thread", "user", "%", 0.01},
		{cpu, "used_cpu_sys_main_thread", "server's main thread", "system", "%", 0.01},
		{stats, "total_commands_processed", "server's commands", "", "1/s", 1},
		{stats, "total_net_input_bytes", "server's network", "received", "MB/s", 1e6},
		{stats, "total_net_output_bytes", "server's network", "sent", "MB/s", 1e6},
	} {
		if value, err := strconv.ParseFloat(one.found[one.name], 64); err == nil {
			list = append(list, database.CounterRate{Series: one.series, Of: one.of, Unit: one.unit, Value: value / one.divisor})
		}
	}
	return list, err
}

// commandCounts is Statements.Counts: the statements of Redis are its commands.
func commandCounts(ctx context.Context, of database.Session) ([]database.StatementCount, error) {
	sources, err := counters(ctx, of)
	byName := map[string]*database.StatementCount{}
	for _, source := range sources {
		for _, v := range source.Values {
			if v.Of == "" {
				continue
			}
			one := byName[v.Of]
			if one == nil {
				one = &database.StatementCount{ID: v.Of, Others: map[string]float64{}}
				byName[v.Of] = one
			}
			value, _ := strconv.ParseFloat(v.Value, 64)
			switch v.Name {
			case "calls":
				one.Calls = value
			case "usec":
				one.Milliseconds = value / 1000
			case "failed_calls", "rejected_calls":
				one.Others[v.Name] = value
			}
		}
	}
	var list []database.StatementCount
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, *byName[name])
	}
	return list, err
}
