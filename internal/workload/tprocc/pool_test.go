package tprocc_test

import (
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// poolOf returns the value of the option for a pool of the benches' servers, called a, b
// and so on.
func poolOf(routes []pool.Route, benches ...*bench) string {
	p := pool.Pool{Routes: routes}
	for i, b := range benches {
		p.Connections = append(p.Connections, pool.Connection{
			Name:    string(rune('a' + i)),
			Options: option.Values{"host": b.values["host"], "port": b.values["port"], "superuser_password": b.values["superuser_password"]},
		})
	}
	return p.String()
}

func TestPool_ContinuesWhenOneOfItsServersStops(t *testing.T) {
	t.Parallel()
	a, b := newBench(t), newBench(t)
	stopped := make(chan struct{})
	stop := &trigger{after: time.Second, do: func() { b.server.Stop(testserver.Immediate); close(stopped) }}
	result, err := a.do(t, job.Spec{Action: job.Run, Users: 4, Options: unhurried}, job.Control{Watchers: []job.Watcher{stop}},
		"rampup", "1s", "duration", "6s", pool.Option, poolOf(nil, a, b))
	<-stopped
	if err != nil || result.Status != job.Succeeded {
		t.Errorf("got %v and status %s", err, result.Status)
	}
	if result.Pool == nil || len(result.Pool.Connections) != 2 {
		t.Fatalf("got the pool %+v, want two connections", result.Pool)
	}
	on, off := result.Pool.Connections[0], result.Pool.Connections[1]
	if on.Lost != nil || on.Failed > 0 || !on.Monitored || on.PerMinute == 0 {
		t.Errorf("the server that went on: got %+v", on)
	}
	lost := off.Lost
	if lost == nil || lost.Sessions != 4 || lost.Back != 0 || lost.From < 0.9 || lost.From > 4 || lost.Why == "" || off.Failed != 4 || off.Monitored {
		t.Errorf("the server that stopped: got %+v, lost %+v, want one transaction of each user to fail, a second or two after the beginning", off, lost)
	}
	for i, done := range stop.done[len(stop.done)-2:] {
		if done == 0 {
			t.Errorf("no transaction was done in second %d before the end, long after one server had stopped", 2-i)
		}
	}
	var byUsers, byConnections int64
	for _, kinds := range result.Pool.Users {
		for _, n := range kinds {
			byUsers += n
		}
	}
	for _, c := range result.Pool.Connections {
		for _, s := range c.Shares {
			byConnections += s.Done + s.RolledBack
		}
	}
	if all := result.Summary.All(); byUsers != all.Done+all.RolledBack || byConnections != byUsers {
		t.Errorf("got %d transactions by users and %d by connections, want %d of each", byUsers, byConnections, all.Done+all.RolledBack)
	}
	if g := result.Agreement; g == nil || !g.Holds && !g.Vague || g.Over == "" {
		t.Errorf("got the agreement %+v, want one that holds over the connections to the monitor's server", g)
	}
	b.server.Start()
	a.mustCheck(t)
	b.mustCheck(t)
}

func TestPool_RestoresALostConnection(t *testing.T) {
	t.Parallel()
	a, b := newBench(t), newBench(t)
	back := make(chan struct{})
	restart := &trigger{after: time.Second, do: func() { b.server.Stop(testserver.Immediate); b.server.Start(); close(back) }}
	result, err := a.do(t, job.Spec{Action: job.Run, Users: 4, Options: unhurried}, job.Control{Watchers: []job.Watcher{restart}},
		"rampup", "0s", "duration", "10s", "reconnect", "true", pool.Option, poolOf(nil, a, b))
	<-back
	if err != nil || result.Pool == nil {
		t.Fatalf("got %v and the pool %+v", err, result.Pool)
	}
	off := result.Pool.Connections[1]
	if l := off.Lost; l == nil || l.Sessions != 4 || l.Back != 4 || l.BackBy <= l.From || off.Failed != 4 {
		t.Errorf("got %+v, lost %+v, want each user to have lost its session once and to have it again", off, l)
	}
	if len(result.Outages) != 1 || result.Outages[0].Lost != 4 {
		t.Errorf("got the outages %+v, want one in which 4 connections were lost", result.Outages)
	}
	a.mustCheck(t)
	b.mustCheck(t)
}

func TestPool_SendsEachKindWhereItsListSays(t *testing.T) {
	t.Parallel()
	a := newBench(t)
	routes := []pool.Route{
		{Kind: "new order", Connections: []string{"a"}, Policy: pool.First},
		{Kind: "payment", Connections: []string{"a", "b"}, Policy: pool.Last},
		{Kind: "order status", Connections: []string{"a", "b"}, Policy: pool.RoundRobin},
	}
	result, err := a.do(t, job.Spec{Action: job.Run, Users: 2}, job.Control{}, "rampup", "0s", "duration", "3s", "rate", "300/s", pool.Option, poolOf(routes, a, a))
	if err != nil {
		t.Fatal(err)
	}
	shares := func(connection int) map[string]int64 {
		done := map[string]int64{}
		for _, s := range result.Pool.Connections[connection].Shares {
			done[s.Kind] = s.Done + s.RolledBack
		}
		return done
	}
	first, second := shares(0), shares(1)
	if first["new order"] == 0 || second["new order"] > 0 || first["payment"] > 0 || second["payment"] == 0 {
		t.Errorf("got %v and %v, want new orders over the first connection alone and payments over the second", first, second)
	}
	// Each user alternates between the connections, so each of the two users adds a difference of at most one.
	if off := first["order status"] - second["order status"]; off < -2 || off > 2 || first["order status"] == 0 {
		t.Errorf("got %d and %d order statuses, want as many over both", first["order status"], second["order status"])
	}
	if g := result.Agreement; g == nil || !g.Holds && !g.Vague || g.Over != "" {
		t.Errorf("got the agreement %+v, want one of all connections, which lead to one server", g)
	}
}

func TestPool_RefusesAMissingSchemaOrAnotherSize(t *testing.T) {
	t.Parallel()
	a := newBench(t)
	b := &bench{server: testserver.Open(t, "postgresql", testserver.Own()), local: a.local}
	b.values = b.server.Values()
	run := func(second *bench) error {
		_, err := a.do(t, job.Spec{Action: job.Run, Users: 1}, job.Control{}, "rampup", "0s", "duration", "1s", pool.Option, poolOf(nil, a, second))
		return err
	}
	if err := run(b); err == nil || !strings.Contains(err.Error(), "connection b of the pool") {
		t.Errorf("without a schema: got %v, want an error about connection b", err)
	}
	large := newBench(t)
	owner := large.connectAs(t, database.Owner)
	defer owner.Close()
	exec(t, owner, "UPDATE warehouse SET w_id = 2")
	if err := run(large); err == nil || !strings.Contains(err.Error(), "connection b of the pool") || !strings.Contains(err.Error(), "has 2 warehouses") {
		t.Errorf("with two warehouses: got %v, want an error about connection b and its size", err)
	}
}
