package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestExport_WritesALineForEachSecond(t *testing.T) {
	store, id := stored(t)
	lines := func(format string) []string {
		var b bytes.Buffer
		if err := Export(t.Context(), &b, store, id, format, words, func(string) {}); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	// The second of three seconds: two new orders of 2 ms each, and the server's count.
	at := time.Date(2025, 4, 14, 17, 9, 53, 0, time.UTC)
	all := lines("jsonl")
	if len(all) != 3 {
		t.Fatalf("got %d lines, want 3", len(all))
	}
	var second Second
	if err := json.Unmarshal([]byte(all[1]), &second); err != nil || !second.At.Equal(at) || second.Transactions[0].Done != 2 || *second.ServerTPM != 600.5 {
		t.Errorf("got %s, %v", all[1], err)
	}
	all = lines("influx")
	if len(all) != 3*2 {
		t.Fatalf("got %d lines, want 2 kinds in each of 3 seconds", len(all))
	}
	j, err := store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := "sledge,database=" + j.Spec.Database + ",job=" + string(j.ID) + `,kind=new\ order,phase=measure,workload=` + j.Spec.Workload +
		" done=2i,elapsed_s=1,failed=0i,retried=0i,rolled_back=0i,mean_ms=2.000384,p50_ms=2.000895,p95_ms=2.000895,p99_ms=2.000895,max_ms=2.000895,server_tpm=600.5 1744650593000000000"
	if !reflect.DeepEqual(all[2], want) {
		t.Errorf("got  %s\nwant %s", all[2], want)
	}
	if want := `,kind=\=cmd|'/c\ calc'!A1,`; !strings.Contains(all[5], want) {
		t.Errorf("got %s, want %s", all[5], want)
	}
}
