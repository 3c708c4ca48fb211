package sqlserver

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/job"
)

func TestFinish_RunsRequestedCheckpoint(t *testing.T) {
	for asked, want := range map[bool]string{false: "", true: "CHECKPOINT"} {
		s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
		o := newOptionsOf(t, s.listen())
		o.Checkpoint = asked
		var stages []job.Stage
		if err := finish(t.Context(), o, func(e job.Event) { stages = append(stages, e.Step.Stage) }); err != nil {
			t.Fatal(err)
		}
		var sent []string
		for _, r := range s.requests() {
			if r.kind == aBatch {
				sent = append(sent, r.text)
			}
		}
		if strings.Join(sent, "; ") != want || asked != slices.Equal(stages, []job.Stage{job.Begins, job.Ends}) {
			t.Errorf("requested %v: sent %q, steps %v", asked, sent, stages)
		}
	}
}

func TestDurability(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		durable  bool
		says     string
	}{
		{nil, true, "the log is flushed at each commit"},
		{map[string]string{"delayed_durability": "DISABLED", "memory_optimized_tables_without_data": "0"}, true, "delayed_durability is DISABLED"},
		{map[string]string{"delayed_durability": "DISABLED", "fsync": "on", "synchronous_commit": "on"}, true, "fsync and synchronous_commit are on"},
		{map[string]string{"delayed_durability": "DISABLED", "fsync": "off", "synchronous_commit": "on"}, false, "fsync is off"},
		{map[string]string{"delayed_durability": "DISABLED", "fsync": "on", "synchronous_commit": "off"}, false, "synchronous_commit is off"},
		{map[string]string{"delayed_durability": "FORCED"}, false, "delayed_durability is FORCED"},
		{map[string]string{"delayed_durability": "DISABLED", "memory_optimized_tables_without_data": "9"}, false, "empty after a restart"},
	} {
		if durable, why := durability(c.settings); durable != c.durable || !strings.Contains(why, c.says) {
			t.Errorf("%v: got %v, %q", c.settings, durable, why)
		}
	}
}

func TestLacking_ListsMissingRights(t *testing.T) {
	for _, c := range []struct {
		there         any // the number of the database
		create, table int64
		want          []string
	}{
		{nil, 1, 0, nil},
		{nil, 0, 0, []string{"CREATE ANY DATABASE"}},
		{int64(7), 0, 1, nil},
		{int64(7), 1, 0, []string{"CREATE TABLE"}},
	} {
		s := &standIn{t: t, answer: answering(func(request) []byte {
			return append(rows([]string{"", "", ""}, []any{c.there, c.create, c.table}), done(1)...)
		})}
		session := connectTo(t, s)
		if got, err := lacking(t.Context(), newOptions(useOfTests), session); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v, %v", c, got, err)
		}
	}
}

// The SQL Server Browser has the same port on every machine, so this test is skipped if the port is
// in use.
func TestConnect_AsksBrowserForInstancePort(t *testing.T) {
	browser, err := net.ListenPacket("udp", "127.0.0.1:1434")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { browser.Close() })
	s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
	answer := fmt.Appendf([]byte{5, 0, 0}, "ServerName;DB1;InstanceName;SALES;IsClustered;No;Version;16.0.1000.6;tcp;%d;;", s.listen())
	go func() {
		question := make([]byte, 100)
		for {
			n, from, err := browser.ReadFrom(question)
			if err != nil {
				return
			}
			if !bytes.ContainsAny(question[:1], "\x03\x04") {
				t.Errorf("got the question %q", question[:n])
			}
			_, _ = browser.WriteTo(answer, from)
		}
	}()
	o := newOptionsOf(t, 1)
	for instance, says := range map[string]string{"SALES": "", "STOCK": "check option host, and that the SQL Server Browser runs there"} {
		o.Host = `127.0.0.1\` + instance
		session, err := connect(t.Context(), o, database.Owner)
		if says == "" && err == nil {
			err = session.Close()
		}
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: got %v, want %q", instance, err, says)
		}
	}
}

func TestCreate_AcceptsADatabaseThatAnotherBuildHasCreatedMeanwhile(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "DB_ID("):
			return append(rows([]string{""}, []any{nil}), done(1)...)
		case strings.HasPrefix(r.text, "CREATE DATABASE"):
			return failed(1801, "Database 'tpcc' already exists. Choose a different database name.")
		}
		return nil
	})}
	if err := create(t.Context(), newOptionsOf(t, s.listen()), func(job.Event) {}); err != nil {
		t.Error(err)
	}
}
