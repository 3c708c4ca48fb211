package bundle

import (
	"bytes"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
)

func TestMask_HidesMachinesAndNothingElse(t *testing.T) {
	jobs := []job.Job{{
		Host: "loadgen1",
		Spec: job.Spec{Options: option.Values{"host": "db1.example.com,db2:5433,192.168.7.20", "user": "tpcc"}},
		Facts: &job.Facts{
			Server: "Db2 11.5.8.0", Target: "db1.example.com:5432/tpcc", Host: job.Host{Name: "loadgen1"},
			Machines: map[string]job.Host{"storage": {Name: "san-a"}}, ServerSettings: map[string]string{"hostname": "pg-primary", "work_mem": "4MB"},
		},
	}}
	m := newMask(jobs)
	for _, tt := range []struct{ text, want string }{
		{`{"host":"loadgen1"}`, `{"host":"machine1"}`},
		{`"dial tcp 192.168.7.20:5432: refused"`, `"dial tcp machine4:5432: refused"`},
		{`"from 10.1.2.3 and fe80::12, again 10.1.2.3"`, `"from address1 and address2, again address1"`},
		{`"8.8.8.8:53"`, `"address3:53"`},
		{`"TPC-C 5.2.5.3"`, `"TPC-C 5.2.5.3"`},
		{`"Db2 11.5.8.0 answered"`, `"Db2 11.5.8.0 answered"`},
		{`"127.0.0.1, localhost and ::1 at 10:00:00"`, `"127.0.0.1, localhost and ::1 at 10:00:00"`},
		{`{"storage":{"name":"san-a"}}`, `{"machineS":{"name":"machineA"}}`},
		{`{"loadgen1":1}`, `{"loadgen1":1}`}, // not the name of an agent
		{`"db1.example.com is not mydb1.example.com or db22"`, `"machine2 is not mydb1.example.com or db22"`},
		{`"pg-primary"`, `"machineP"`},
		{`{"response_histogram":"HISTFAAAdb2/db2="}`, `{"response_histogram":"HISTFAAAdb2/db2="}`},
	} {
		got := m.json([]byte(tt.text))
		// Which number a machine has that is in a map is chance, as is the order of a set-up's options.
		for name, as := range map[string]string{"storage": "machineS", "san-a": "machineA", "pg-primary": "machineP", "db1.example.com": "machine2", "192.168.7.20": "machine4"} {
			got = bytes.ReplaceAll(got, []byte(m.known[name]), []byte(as))
		}
		if string(got) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
	var out bytes.Buffer
	w := m.writer(&out)
	for _, part := range []string{`{"a":"load`, "gen1\"}\n", `{"b":"loadgen1"`, `}`} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil || out.String() != "{\"a\":\"machine1\"}\n{\"b\":\"machine1\"}" {
		t.Errorf("got %q, %v", &out, err)
	}
}
