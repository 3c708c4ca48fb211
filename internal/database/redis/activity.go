package redis

import (
	"cmp"
	"context"
	_ "embed" // for waits.txt
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
)

//go:embed waits.txt
var describedWaits string

// activity lists the clients that are not idle. The server goes through all of them on its main thread, so
// it does that once a second at most.
var activity = database.Activity{
	List: activeClients, Every: time.Second,
	Undivided: "Redis executes one command at a time and lists its clients only between two commands, so a list never shows what a command does",
}

// activeClients is Activity.List. A client has, by the fields of CLIENT LIST (redis.io), one of the waits
// of waits.txt, or is idle. Requests that the server has not read yet, and those of the clients that it
// serves at once, are in no list.
func activeClients(ctx context.Context, of database.Session) ([]database.ActiveSession, error) {
	clients, err := of.(*session).clients(ctx)
	var list []database.ActiveSession
	for _, c := range clients {
		if wait := waitOf(c); wait != "" {
			list = append(list, database.ActiveSession{ID: c["id"], Program: cmp.Or(c["name"], c["user"]), Wait: wait, Statement: c["cmd"]})
		}
	}
	return list, err
}

// details tells more about clients. Redis has no locks.
var details = database.Details{
	Lacking: func(context.Context, database.Session) (string, error) { return "", nil },
	Count: func(ctx context.Context, of database.Session) (connected, most int64, err error) {
		found, err := of.(*session).info(ctx, "clients")
		if err != nil {
			return 0, 0, err
		}
		connected, err = strconv.ParseInt(found["connected_clients"], 10, 64)
		most, _ = strconv.ParseInt(found["maxclients"], 10, 64) // unknown before Redis 7
		return connected, most, err
	},
	// It describes all clients: which are idle changes from one list to the next.
	List: func(ctx context.Context, of database.Session, _ []string) ([]database.SessionDetail, error) {
		clients, err := of.(*session).clients(ctx)
		list := make([]database.SessionDetail, len(clients))
		for i, c := range clients {
			list[i] = database.SessionDetail{ID: c["id"], User: c["user"], Database: c["db"], Client: c["addr"], State: cmp.Or(waitOf(c), "idle"), Statement: c["cmd"]}
		}
		return list, err
	},
	LockWaits: func(context.Context, database.Session) ([]database.LockWait, error) { return nil, nil },
}

// clients returns the fields of all clients but this session.
func (s *session) clients(ctx context.Context) (list []map[string]string, err error) {
	said, err := s.ask(ctx, "CLIENT", "LIST")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text(said)) {
		fields := map[string]string{}
		for field := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(field, "=")
			fields[name] = value
		}
		if fields["id"] != s.id {
			list = append(list, fields)
		}
	}
	return list, nil
}

// waitOf returns what a client waits for, "" if it is idle.
func waitOf(client map[string]string) string {
	some := func(field string) bool { return client[field] != "" && client[field] != "0" }
	switch {
	case strings.Contains(client["flags"], "b"):
		return "blocked in " + client["cmd"]
	case some("obl") || some("oll"):
		return "reply not read by the client"
	case some("qbuf"):
		return "request queued for the main thread"
	case strings.Contains(client["flags"], "x"):
		return "client in MULTI"
	}
	return ""
}
