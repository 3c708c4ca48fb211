package help

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"sledge/docs"
)

func open(t *testing.T) *Book {
	t.Helper()
	b, err := Open(docs.Pages)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryLinkOfTheManualLeadsSomewhere(t *testing.T) {
	b := open(t)
	for _, broken := range b.broken {
		t.Errorf("a link that leads nowhere: %s", broken)
	}
	links := regexp.MustCompile(`href="([^"]*)"`)
	inside := 0
	for _, p := range b.pages {
		for _, m := range links.FindAllStringSubmatch(p.HTML, -1) {
			rest, is := strings.CutPrefix(m[1], "#/help/")
			if !is {
				if !strings.HasPrefix(m[1], "http") {
					t.Errorf("%s: %s leads out of the manual", p.Name, m[1])
				}
				continue
			}
			inside++
			name, at, _ := strings.Cut(rest, "?at=")
			if name, _ = url.PathUnescape(name); b.byName[name] == nil {
				t.Errorf("%s: there is no page %s", p.Name, name)
			} else if at != "" && !strings.Contains(b.byName[name].HTML, `id="`+at+`"`) {
				t.Errorf("%s: %s has no heading %s", p.Name, name, at)
			}
		}
		if p.Title == "" || strings.Contains(p.HTML, "style=") || strings.Contains(p.HTML, "<script") || strings.Contains(p.HTML, "<img") {
			t.Errorf("%s has no title, or what pages must not have", p.Name)
		}
	}
	if first := b.Pages()[0].Name; inside < 100 || first != "README" {
		t.Errorf("got %d links within the manual, and first %s", inside, first)
	}
}

func TestMarkupInAPageIsNotPassedOn(t *testing.T) {
	b, err := Open(fstest.MapFS{"a.md": {Data: []byte("# A <b>x</b>\n\n<script>alert(1)</script>\n\n[go](javascript:alert(1)) <img src=x onerror=alert(1)> ![shot](x.png)\n\n![alone](y.png)\n\n`<i>`\n")}})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := b.Page("a")
	for _, bad := range []string{"<script", "javascript:", "<img", "<b>", "<i>", "shot", "alone", "<p></p>"} {
		if strings.Contains(p.HTML, bad) {
			t.Errorf("%s is in %s", bad, p.HTML)
		}
	}
}

func TestSearchFindsSectionsByAllTheirWords(t *testing.T) {
	b := open(t)
	hits := b.Search("reverse PROXY", 5)
	if len(hits) == 0 || hits[0].Address != "#/help/web?at=behind-a-reverse-proxy" {
		t.Fatalf("got %+v, want the section of reverse proxies first", hits)
	}
	marked := 0
	for _, p := range hits[0].Excerpt {
		if p.Found && (strings.EqualFold(p.Text, "proxy") || strings.EqualFold(p.Text, "reverse")) {
			marked++
		}
	}
	if marked == 0 {
		t.Errorf("got %+v, want what was found to be marked", hits[0].Excerpt)
	}
	if none := b.Search("proxy nosuchwordanywhere", 5); len(none) != 0 {
		t.Errorf("got %v for a word that is nowhere", none)
	}
	if none := b.Search("  ", 5); len(none) != 0 {
		t.Errorf("got %v for no word", none)
	}
}
