package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sledge/internal/document"
	"sledge/internal/notice"
)

// A job's end is posted to the receivers of its event, and no response contains their secrets.
func TestNotices_ReportTheEndOfAJob(t *testing.T) {
	arrived := make(chan document.Notice, 9)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n document.Notice
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		arrived <- n
	}))
	defer hook.Close()
	w := newWorld(t)
	w.api.Notices = notice.New(notice.Config{Folder: t.TempDir(), Say: func(line string) { t.Error(line) }})
	w.api.Notices.Start()
	t.Cleanup(w.api.Notices.Close)
	receiver := `{"events": ["failed"], "pages": "https://load1.example.com", "webhook": {"url": "` + hook.URL + `/planted", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}}`
	w.call(http.MethodPut, "/notices/receivers/ops", receiver, http.StatusOK)
	w.call(http.MethodPut, "/notices/receivers/quiet", strings.ReplaceAll(receiver, `"failed"`, `"ended"`), http.StatusOK)
	w.call(http.MethodPut, "/notices/receivers/ops", strings.ReplaceAll(receiver, "http:", "gopher:"), http.StatusUnprocessableEntity)
	w.call(http.MethodPut, "/notices/receivers/none", `{"events": ["failed"]}`, http.StatusUnprocessableEntity)

	id := w.start(map[string]any{"action": "check", "settings": map[string]any{"db": "sqlite", "dbname": t.TempDir() + "/none"}})
	n := <-arrived
	if n.Event != "failed" || n.Title != "Check failed (SQLite, TPROC-C)" || n.Link != "https://load1.example.com/#/jobs/"+id || !strings.Contains(n.Job.Reason, "none") {
		t.Errorf("got %+v", n)
	}
	w.api.Wait()
	var all Notices
	if err := json.Unmarshal(w.raw(http.MethodGet, "/notices", "", http.StatusOK), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Receivers) != 2 || len(all.Deliveries) != 1 || all.Deliveries[0].Receiver != "ops" || string(all.Deliveries[0].Job) != id {
		t.Errorf("got %+v, want one delivery", all)
	}
	if d := w.call(http.MethodPost, "/notices/receivers/quiet/test", "", http.StatusOK); d["status"] != notice.Delivered || (<-arrived).Event != "test" {
		t.Errorf("got %v, want the test delivered", d)
	}
	w.call(http.MethodPost, "/notices/receivers/other/test", "", http.StatusNotFound)
	w.raw(http.MethodDelete, "/notices/receivers/ops", "", http.StatusNoContent)
	if seen := w.seen.String(); strings.Contains(seen, "planted") || strings.Contains(seen, "whsec_MfKQ") {
		t.Errorf("a response contains a secret: %s", seen)
	}
}
