package report

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/repository"
)

// version4.db is a repository of an earlier Sledge, which kept histograms in HdrHistogram's
// encoding; version4.json and version4.csv are the exports by that Sledge.
func TestExport_OfAnEarlierRepositoryIsUnchanged(t *testing.T) {
	packed, err := os.Open("testdata/version4.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "jobs.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := repository.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	export := func(format string) (got, want []byte) {
		var b bytes.Buffer
		if err := Export(t.Context(), &b, store, "last", format, words, func(string) {}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("testdata/version4." + format)
		if err != nil {
			t.Fatal(err)
		}
		return b.Bytes(), want
	}
	if got, want := export("csv"); !bytes.Equal(got, want) {
		t.Errorf("got the CSV\n%s\nwant\n%s", got, want)
	}
	text, wanted := export("json")
	var got, want map[string]json.RawMessage
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(wanted, &want); err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"seconds", "histograms", "transactions", "all", "output"} {
		if len(want[member]) == 0 || !bytes.Equal(got[member], want[member]) {
			t.Errorf("%s: got\n%s\nwant\n%s", member, got[member], want[member])
		}
	}
	user, kept, err := store.UserSummary(t.Context(), "last", 2)
	if all := user.All(); err != nil || !kept || all.Response.TotalCount() != all.Done || all.Done == 0 {
		t.Errorf("of a user: got %d done and %d latencies, kept: %t, %v", all.Done, all.Response.TotalCount(), kept, err)
	}
}
