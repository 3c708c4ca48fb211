package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestManual_IsReadAndSearched(t *testing.T) {
	w := newWorld(t)
	if pages := w.call("GET", "/manual", "", http.StatusOK)["pages"].([]any); len(pages) < 50 {
		t.Errorf("got %d pages", len(pages))
	}
	if page := w.call("GET", "/manual/page?name=commands/sledge_run", "", http.StatusOK); !strings.Contains(page["html"].(string), "<h2") {
		t.Errorf("got %v, want a page", page)
	}
	w.call("GET", "/manual/page?name=../README", "", http.StatusNotFound)
	if hits := w.call("GET", "/manual/search?text=reverse%20proxy", "", http.StatusOK)["hits"].([]any); len(hits) == 0 {
		t.Error("the search found nothing")
	}
	if hits := w.call("GET", "/manual/search?text=%20", "", http.StatusOK)["hits"].([]any); len(hits) != 0 {
		t.Errorf("a search without words: got %v", hits)
	}
}
