package pages

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// site returns the pages. Without them the test is skipped, or fails if they are required.
func site(t *testing.T) fs.FS {
	t.Helper()
	files, built := FS()
	switch {
	case built:
	case slices.Contains(strings.Split(os.Getenv("SLEDGE_TEST_REQUIRE"), ","), "pages"):
		t.Fatal("SLEDGE_TEST_REQUIRE lists pages, but they were not built: run make build")
	default:
		t.Skip("the pages were not built: install npm and run make build")
	}
	return files
}

// index returns the page that contains the application.
func index(t *testing.T, files fs.FS) string {
	t.Helper()
	text, err := fs.ReadFile(files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// named matches the addresses that a page loads or links to.
var named = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

func TestIndex_NamesExistingFilesByRelativePaths(t *testing.T) {
	files := site(t)
	found := named.FindAllStringSubmatch(index(t, files), -1)
	if len(found) < 3 {
		t.Fatalf("index.html names %d files, want a script, a style and an icon at least", len(found))
	}
	for _, name := range found {
		relative, is := strings.CutPrefix(name[1], "./")
		if !is {
			t.Errorf("index.html names %s, which does not exist below the base path of a proxy", name[1])
			continue
		}
		if _, err := fs.Stat(files, relative); err != nil {
			t.Errorf("index.html names %s: %v", name[1], err)
		}
	}
}

// inline matches markup that a Content-Security-Policy of 'self' forbids in a page.
var inline = regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style|\sstyle=|\son\w+=|javascript:`)

func TestIndex_HasNothingInline(t *testing.T) {
	if found := inline.FindString(index(t, site(t))); found != "" {
		t.Errorf("index.html has %q, which script-src and style-src 'self' forbid", found)
	}
	for _, line := range []string{`<script>alert(1)</script>`, `<p style="color: red">`, `<style>`, `<a onclick="go()">`} {
		if !inline.MatchString(line) {
			t.Errorf("inline does not match %s", line)
		}
	}
}

// addresses matches addresses of other hosts.
var addresses = regexp.MustCompile(`(?:https?:|wss?:|["'(=]\s*)//[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}[^\s"'` + "`" + `)<>\\]*`)

// neverFetched lists prefixes of addresses that pages show as text and never fetch.
var neverFetched = []string{
	"http://www.w3.org/",    // names of SVG, XLink and XHTML
	"https://svelte.dev/e/", // explanations of Svelte's error messages
}

func TestPages_FetchNothingFromOtherHosts(t *testing.T) {
	files := site(t)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) == ".br" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, address := range addresses.FindAllString(string(text), -1) {
			known := func(begin string) bool { return strings.HasPrefix(strings.TrimLeft(address, `"'(= `), begin) }
			if !slices.ContainsFunc(neverFetched, known) {
				t.Errorf("%s names %s: pages must work without internet", name, address)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`import("https://cdn.example.com/x.js")`, `url(//fonts.example.com/a.woff2)`, `src="//cdn.example.com"`} {
		if !addresses.MatchString(line) {
			t.Errorf("addresses does not match %s", line)
		}
	}
}

// TestFirstView_IsSmall limits the size of the compressed files of the first page, Start. Their headers and the
// responses of the API take another 13 KB; browser/first.mjs measures all of it.
func TestFirstView_IsSmall(t *testing.T) {
	const most = 45_000
	files := site(t)
	names := []string{"index.html"}
	for _, name := range named.FindAllStringSubmatch(index(t, files), -1) {
		names = append(names, path.Clean(name[1]))
	}
	start, err := fs.Glob(files, "assets/StartPage-*.*s")
	if err != nil || len(start) != 2 {
		t.Fatalf("Start has the files %q, want a script and a style", start)
	}
	size := 0
	for _, name := range append(names, start...) {
		info, err := fs.Stat(files, name+".br")
		if err != nil {
			t.Fatalf("%v: the build compresses each file", err)
		}
		size += int(info.Size())
	}
	if size > most {
		t.Errorf("the first view takes %d bytes compressed, want %d at most", size, most)
	}
	t.Logf("the first view takes %d bytes compressed", size)
}

// TestFixtures_MatchSchemas validates the documents in the tests of the pages against the schemas
// of the documents that commands print.
func TestFixtures_MatchSchemas(t *testing.T) {
	names, err := filepath.Glob("../../../ui/src/testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 4 {
		t.Fatalf("there are %d documents, want those of a run, of queries, of a list and of a series at least", len(names))
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var head struct{ Schema string }
			if err := json.Unmarshal(text, &head); err != nil {
				t.Fatal(err)
			}
			schema, err := jsonschema.NewCompiler().Compile("../../../docs/json/" + head.Schema + ".json")
			if err != nil {
				t.Fatal(err)
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); err != nil {
				t.Error(err)
			}
		})
	}
}
