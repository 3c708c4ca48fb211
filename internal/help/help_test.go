package help

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"sledge"
	"sledge/docs"
)

func open(t *testing.T) *Book {
	t.Helper()
	b, err := Open(docs.Pages, sledge.Papers)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestManual_LinksHaveTargets(t *testing.T) {
	b := open(t)
	for _, broken := range b.broken {
		t.Errorf("a broken link: %s", broken)
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
			t.Errorf("%s has no title, or markup that pages must not have", p.Name)
		}
	}
	if first := b.Pages()[0].Name; inside < 100 || first != "README" {
		t.Errorf("got %d links within the manual, and first %s", inside, first)
	}
}

func TestOpen_AddsPapersAndFolders(t *testing.T) {
	b := open(t)
	front, _ := b.Page("README")
	for _, want := range []string{`href="#/help/project%2FREADME?at=your-first-result"`, `href="#/help/project%2FARCHITECTURE"`, `href="#/help/project%2FCONTRIBUTING"`, `href="#/help/decisions%2FREADME"`} {
		if !strings.Contains(front.HTML, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
	paper, _ := b.Page("project/README")
	if !strings.Contains(paper.HTML, `href="#/help/tproch"`) {
		t.Error("the project's README.md has no link to the manual")
	}
	folder, _ := b.Page("decisions/README")
	if want := `<a href="#/help/decisions%2F001-one-profile">`; !strings.Contains(folder.HTML, want) || strings.Count(folder.HTML, "<li>") < 40 {
		t.Errorf("the page of a folder lacks %s: %s", want, folder.HTML)
	}
}

func TestPages_GuidesFollowTheFirstPage(t *testing.T) {
	page := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	b, err := Open(fstest.MapFS{
		"README.md": page("# The manual\n\n[First](../README.md#it), [z](z.md), [a command](commands/run.md), [a](a.md), [z again](z.md#there)"),
		"a.md":      page("# A"), "unlisted.md": page("# U"), "z.md": page("# Z\n\n## There"),
		"commands/run.md": page("# Run"),
	}, fstest.MapFS{"README.md": page("# Sledge\n\n## It"), "other.txt": page("no page")})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range b.Pages() {
		names = append(names, p.Name)
	}
	if want := "README project/README z a unlisted commands/README commands/run"; strings.Join(names, " ") != want || len(b.broken) > 0 {
		t.Errorf("got %q, want %q; broken links: %q", names, want, b.broken)
	}
}

func TestOpen_DropsMarkupOfPages(t *testing.T) {
	b, err := Open(fstest.MapFS{"a.md": {Data: []byte("# A <b>x</b>\n\n<script>alert(1)</script>\n\n[go](javascript:alert(1)) <img src=x onerror=alert(1)> ![shot](x.png)\n\n![alone](y.png)\n\n`<i>`\n")}}, fstest.MapFS{})
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

// The fuzzer found null in the answer of the web API.
func TestSearch_OfAHeadingHasAnEmptyExcerpt(t *testing.T) {
	b, err := Open(fstest.MapFS{"a.md": {Data: []byte("# Lone heading\n\n## Next\n\ntext\n")}}, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if hits := b.Search("lone", 5); len(hits) == 0 || hits[0].Excerpt == nil {
		t.Errorf("got %+v, want a hit with an empty excerpt", hits)
	}
}

func TestSearch_NeedsAllWords(t *testing.T) {
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
		t.Errorf("got %+v, want the matches marked", hits[0].Excerpt)
	}
	if none := b.Search("proxy nosuchwordanywhere", 5); len(none) != 0 {
		t.Errorf("got %v for an unknown word", none)
	}
	if none := b.Search("  ", 5); len(none) != 0 {
		t.Errorf("got %v without a word", none)
	}
}
