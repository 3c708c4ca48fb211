package target

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/doctor"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/option"
)

// Subject describes what sledge doctor checks for a plan: this machine and the planned load. AddServer
// adds the server, and its machine if it is this one.
func Subject(p plan.Plan, client doctor.Machine) *doctor.Subject {
	s := &doctor.Subject{Client: client, Target: p.Target(), Load: planned(p), Server: doctor.Readings{}}
	switch _, local := serverAt(p.Job); {
	case p.Database.Embedded():
		s.Host = &s.Client
	case local:
		s.Host, s.Elsewhere = &s.Client, "no process of the server is visible on this machine, as in a container: run sledge doctor there"
	default:
		s.Elsewhere = "the server's machine is another one: run sledge doctor there"
	}
	return s
}

// planned returns the load of a plan.
func planned(p plan.Plan) *doctor.Planned {
	load := &doctor.Planned{
		Users: p.Terminals(), Connections: p.Terminals(), Embedded: p.Database.Embedded(), Analytic: p.Workload.Users.Finite || p.Pacing.Finite,
		RampUp: p.Pacing.RampUp, Duration: p.Pacing.Duration, Timed: !p.Pacing.Test && !p.Pacing.Finite,
	}
	if n := p.Pacing.Connections.Shared; n > 0 {
		load.Connections = n
	}
	load.Rate = p.Pacing.Rate.Greatest
	load.HasCeiling = p.Database.StandIn != nil && p.Workload.Users.Answers != nil && !p.Piecemeal()
	_, pauses := p.Pauses()
	load.Paced = pauses || p.Pacing.Rate.Arrivals != nil
	address, _ := serverAt(p.Job)
	load.TCP = !load.Embedded && !strings.HasPrefix(address, "/")
	return load
}

// RunsOnThisMachine reports whether the server is known to run on this machine.
func RunsOnThisMachine(j plan.Job) bool {
	if j.Database.Embedded() {
		return true
	}
	_, local := serverAt(j)
	return local && host.Runs(j.Database.Runs.Processes)
}

// IsServer reports whether a machine with an address, as a host name or an IP address, is the one that the server runs on.
func IsServer(j plan.Job, address string) bool {
	at, _ := serverAt(j)
	if name, _, err := net.SplitHostPort(at); err == nil {
		at = name
	}
	return at != "" && strings.EqualFold(at, address)
}

// serverAt returns the address of the server, and whether it is one of this machine.
func serverAt(j plan.Job) (address string, local bool) {
	values := option.Texts(j.Connection)
	address = values["host"]
	if socket := values["socket"]; strings.HasPrefix(socket, "/") && (address == "localhost" || address == "127.0.0.1") {
		address = socket
	}
	if strings.HasPrefix(address, "/") {
		return address, true
	}
	first, _, _ := strings.Cut(address, ",")
	if name, _, err := net.SplitHostPort(first); err == nil {
		first = name
	}
	if first == "localhost" {
		return address, true
	}
	ip := net.ParseIP(first)
	own, _ := net.InterfaceAddrs()
	return address, ip != nil && (ip.IsLoopback() || slices.ContainsFunc(own, func(a net.Addr) bool {
		n, is := a.(*net.IPNet)
		return is && n.IP.Equal(ip)
	}))
}

// AddServer reads what the checks of the server need over a session.
func AddServer(ctx context.Context, s *doctor.Subject, p plan.Plan, session database.Session) {
	if p.Server.Readings != nil {
		s.Server = p.Server.Readings(ctx, session)
	}
	if p.Server.Pooling != nil {
		s.Server["session"] = doctor.Section{Values: map[string]string{"pooling": string(p.Server.Pooling(session))}}
	}
	if p.Database.Embedded() {
		return
	}
	s.Server["roundtrip"] = roundTrips(ctx, p.Job, session)
	if !runsHere(s, p.Database.Runs.Processes) {
		s.Host = nil
	}
}

// runsHere reports whether the server, whose address is this machine's, is one of its processes.
// Another machine may be behind the address, or the process may be in a container.
func runsHere(s *doctor.Subject, names []string) bool {
	if s.Host == nil || s.Host.Root == nil {
		return s.Host != nil
	}
	place := s.Server["place"].Values
	if place["pid"] == "" {
		return host.Runs(names)
	}
	if !host.IsCalled(s.Host.Root, place["pid"], names) {
		return false
	}
	if parent := host.Parent(s.Host.Root, place["pid"]); host.IsCalled(s.Host.Root, parent, names) {
		place["pid"] = parent // that of the session ends with it
	}
	return true
}

// roundTrips measures short questions, in seconds.
func roundTrips(ctx context.Context, j plan.Job, session database.Session) doctor.Section {
	const times = 20
	var took []float64
	for range times {
		began := time.Now()
		if _, err := j.Server.Version(ctx, session); err != nil {
			return doctor.Section{Err: err}
		}
		took = append(took, time.Since(began).Seconds())
	}
	slices.Sort(took)
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return doctor.Section{Values: map[string]string{"median": text(took[times/2]), "most": text(took[times-1])}}
}

// Unread leaves the checks of the server unmade, with a reason.
func Unread(s *doctor.Subject, d *database.Database, err error) {
	if len(d.Runs.Checks) == 0 {
		err = fmt.Errorf("there are no checks of %s yet", d.Title)
	}
	for _, section := range []string{"settings", "place", "paths", "status", "state", "schema", "session", "roundtrip", "info", "rights"} {
		if s.Server[section].Values == nil {
			s.Server[section] = doctor.Section{Err: err}
		}
	}
}

// Checks returns the checks of machines, loads and the server of a plan.
func Checks(d *database.Database) []doctor.Check {
	return slices.Concat(doctor.Merge(host.Checks, d.Runs.Checks), doctor.LoadChecks)
}
