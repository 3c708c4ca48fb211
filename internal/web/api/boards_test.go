package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"sledge/internal/web"
)

// shownBy returns the beginnings of the IDs that each tile of a board shows.
func shownBy(board map[string]any) (ids []string) {
	for _, tile := range board["tiles"].([]any) {
		var of []string
		for _, j := range tile.(map[string]any)["jobs"].([]any) {
			of = append(of, j.(map[string]any)["id"].(string))
		}
		ids = append(ids, strings.Join(of, " "))
	}
	return ids
}

// A tile shows a job or the newest run with a label, and so does a link to the board.
func TestBoards_ShowTheNewestRunWithALabel(t *testing.T) {
	w := newWorld(t)
	tokens := w.mounted()
	w.token = tokens[web.Act]
	ids := w.runs(3)
	label := func(id, value string) {
		t.Helper()
		w.call(http.MethodPatch, "/jobs/"+id, `{"labels": {"kernel": "`+value+`"}}`, http.StatusOK)
	}
	label(ids[1], "6.11")
	const tiles = `"tiles": [{"kind": "figure", "label": "kernel=6.11"}, {"kind": "jobs", "label": "kernel"}, {"kind": "times", "label": "nosuch"}, {"kind": "percentiles", "job": "$"}]`
	board := w.call(http.MethodPost, "/boards", `{"name": "wall", `+strings.Replace(tiles, "$", ids[0][:20], 1)+`}`, http.StatusCreated)
	if got, want := shownBy(board), []string{ids[1], ids[1], "", ids[0]}; !slices.Equal(got, want) {
		t.Errorf("got the jobs %q, want %q", got, want)
	}
	link := w.call(http.MethodPost, "/shares", `{"kind": "board", "ids": ["1"]}`, http.StatusCreated)
	v := w.visit(link["path"].(string))
	sees := func() (seen []bool) {
		for _, id := range ids {
			seen = append(seen, v.status(http.MethodGet, "/jobs/"+id+"/points") == http.StatusOK)
		}
		return seen
	}
	if got := sees(); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("visitors see %v", got)
	}
	label(ids[2], "6.12")
	if got, want := shownBy(w.call(http.MethodGet, "/boards/1", "", http.StatusOK)), []string{ids[1], ids[2] + " " + ids[1], "", ids[0]}; !slices.Equal(got, want) {
		t.Errorf("got the jobs %q, want %q", got, want)
	}
	label(ids[2], "6.11")
	if got, want := shownBy(w.call(http.MethodGet, "/boards/1", "", http.StatusOK))[0], ids[2]+" "+ids[1]; got != want {
		t.Errorf("the figure has the jobs %q, want the newest and the one before it, %q", got, want)
	}
	w.call(http.MethodPut, "/boards/1", `{"name": "wall", "tiles": [{"kind": "throughput", "label": "kernel=6.11"}]}`, http.StatusOK)
	if got := sees(); !slices.Equal(got, []bool{false, false, true}) {
		t.Errorf("visitors of the changed board see %v", got)
	}
	if got := v.status(http.MethodGet, "/boards/01"); got != http.StatusForbidden {
		t.Errorf("another spelling of the board: got %d", got)
	}
	w.token = tokens[web.Look]
	w.call(http.MethodPut, "/boards/1", `{"name": "wall", "tiles": []}`, http.StatusForbidden)
	w.token = tokens[web.Act]
	for _, wrong := range []string{`{"kind": "figure"}`, `{"kind": "figure", "job": "last", "label": "a=b"}`, `{"kind": "figure", "label": "=b"}`, `{"kind": "jobs", "job": "last"}`, `{"kind": "pie", "job": "last"}`} {
		w.call(http.MethodPost, "/boards", `{"name": "wrong", "tiles": [`+wrong+`]}`, http.StatusUnprocessableEntity)
	}
	w.call(http.MethodPost, "/boards", `{"name": "Wall", "tiles": []}`, http.StatusConflict)
	w.call(http.MethodPost, "/boards", `{"name": "lost", "tiles": [{"kind": "figure", "job": "0000"}]}`, http.StatusNotFound)
	w.raw(http.MethodDelete, "/jobs/"+ids[2], "", http.StatusOK)
	if got := shownBy(w.call(http.MethodGet, "/boards/1", "", http.StatusOK)); !slices.Equal(got, []string{ids[1]}) {
		t.Errorf("after the newest was deleted: got the jobs %q, want the one before", got)
	}
	w.raw(http.MethodDelete, "/boards/1", "", http.StatusNoContent)
	if got := sees(); slices.Contains(got, true) {
		t.Errorf("visitors of a deleted board see %v", got)
	}
}
