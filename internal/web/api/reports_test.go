package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
)

// Reports are downloads, and run no scripts when a browser shows them. Package paper tests their
// contents.
func TestReports_AreFilesWithoutScripts(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for _, profile := range []int{4, 4, 5} {
		r, err := w.api.Store.Begin(context.Background(), job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc", Options: option.Values{}, Users: 1, Note: "<script>alert(1)</script>"}, []string{"new order"}, profile)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(r.ID()))
		if err := r.End(context.Background(), job.Result{Metrics: []job.Metric{{Name: "NOPM", Value: 4242}}, Extent: job.Extent{Users: 1, Elapsed: 3}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for path, name := range map[string]string{
		"/jobs/" + ids[0] + "/report":                `attachment; filename="sledge-` + ids[0] + `.html"`,
		"/jobs/" + ids[0] + "/report?view=true":      `inline; filename="sledge-` + ids[0] + `.html"`,
		"/jobs/" + ids[0] + "/report?with=" + ids[1]: `attachment; filename="sledge-` + ids[0][:12] + "-" + ids[1][:12] + `.html"`,
		"/profiles/4/report":                         `attachment; filename="sledge-profile-4.html"`,
		"/profiles/5/report?with=4":                  `attachment; filename="sledge-profiles-5-4.html"`,
	} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, w.url+Prefix+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		h := response.Header
		if response.StatusCode != http.StatusOK || h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Disposition") != name {
			t.Errorf("%s: got %d, %s, %s; want %s", path, response.StatusCode, h.Get("Content-Type"), h.Get("Content-Disposition"), name)
		}
		if policy := h.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") || !strings.Contains(policy, "; sandbox") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "allow-scripts") {
			t.Errorf("%s: got the policy %s", path, policy)
		}
		if !strings.Contains(string(text), "4,242") || strings.Contains(string(text), "<script") {
			t.Errorf("%s: got %.300s, want the figure and no script", path, text)
		}
	}
	for path, status := range map[string]int{
		"/jobs/last/report?with=last": 422, "/jobs/last/report?with=FFFF": 404, "/jobs/FFFF/report": 404, "/profiles/9/report": 404, "/profiles/4/report?with=9": 404, "/profiles/4/report?with=4": 422, "/profiles/0/report": 422, "/jobs/last/report?view=perhaps": 422,
	} {
		w.call("GET", path, "", status)
	}
}
