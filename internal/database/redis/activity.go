package redis

import (
	"context"
	_ "embed" // for waits.txt
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
	s := of.(*session)
	said, err := s.ask(ctx, "CLIENT", "LIST")
	if err != nil {
		return nil, err
	}
	var list []database.ActiveSession
	for line := range strings.Lines(text(said)) {
		fields := map[string]string{}
		for field := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(field, "=")
			fields[name] = value
		}
		wait := waitOf(fields)
		if fields["id"] == s.id || wait == "" {
			continue
		}
		one := database.ActiveSession{ID: fields["id"], Program: fields["name"], Wait: wait, Statement: fields["cmd"]}
		if one.Program == "" {
			one.Program = fields["user"]
		}
		list = append(list, one)
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
