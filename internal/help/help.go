// Package help presents the manual: its pages as HTML with links between them, and a search of the
// text. It knows the format of the pages, not their content.
package help

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Head is a page in a list.
type Head struct {
	Name  string `json:"name" doc:"Its path without .md: web, commands/sledge_run, project/README."`
	Title string `json:"title"`
	Group string `json:"group" enum:"Guides,Commands,Options,Decisions"`
}

// Page is a page of the manual.
type Page struct {
	Head
	HTML     string    `json:"html" doc:"Without scripts, styles and pictures. Links lead to #/help/NAME?at=ID, or outside."`
	Headings []Heading `json:"headings"`
}

// Heading is a heading of a page.
type Heading struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// section is the text below a heading.
type section struct {
	page    *Page
	heading Heading
	text    string
}

// Book is the whole manual.
type Book struct {
	pages    []*Page
	byName   map[string]*Page
	sections []section
	broken   []string // links without a target, for tests
}

// project is the folder of the project's documents to which the manual links. They are beside the
// manual's own folder, docs.
const project = "project"

// groups lists the folders, in the order of the manual.
var groups = []struct{ folder, title string }{{".", "Guides"}, {"commands", "Commands"}, {"options", "Options"}, {"decisions", "Decisions"}}

// Open reads the pages of a manual, and the documents of the project.
func Open(files, papers fs.FS) (*Book, error) {
	b := &Book{byName: map[string]*Page{}}
	type parsed struct {
		page   *Page
		source []byte
		tree   ast.Node
	}
	var all []parsed
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	add := func(name, group string, source []byte) {
		tree := markdown.Parser().Parse(text.NewReader(source))
		p := &Page{Head: Head{Name: name, Group: group}, Headings: []Heading{}}
		b.pages = append(b.pages, p)
		b.byName[p.Name] = p
		b.read(p, tree, source)
		all = append(all, parsed{p, source, tree})
	}
	folder := func(files fs.FS, pattern, prefix, group string) error {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return err
		}
		slices.Sort(names)
		for _, name := range names {
			source, err := fs.ReadFile(files, name)
			if err != nil {
				return fmt.Errorf("read the manual: %w", err)
			}
			add(prefix+strings.TrimSuffix(name, ".md"), group, source)
		}
		return nil
	}
	for _, g := range groups {
		begun := len(b.pages)
		if err := folder(files, path.Join(g.folder, "*.md"), "", g.title); err != nil {
			return nil, err
		}
		if g.folder == "." {
			if err := folder(papers, "*.md", project+"/", g.title); err != nil {
				return nil, err
			}
		} else if begun < len(b.pages) && b.byName[g.folder+"/"+contents] == nil {
			add(g.folder+"/"+contents, g.title, list(g.title, b.pages[begun:]))
		}
	}
	order := map[string]int{contents: 0}
	for _, each := range all {
		if each.page.Name == contents {
			b.order(each.tree, order)
		}
	}
	for _, each := range all { // all headings are known now
		b.link(each.page, each.tree)
		var out bytes.Buffer
		if err := markdown.Renderer().Render(&out, each.source, each.tree); err != nil {
			return nil, fmt.Errorf("render %s: %w", each.page.Name, err)
		}
		each.page.HTML = out.String()
	}
	// Guides are in the order of the links on the first page, after that page. Guides without a
	// link follow. Other pages are in the order of their files, after the page that lists them.
	place := func(p *Page) int {
		switch at, listed := order[p.Name]; {
		case listed:
			return at
		case p.Group == groups[0].title:
			return len(order)
		case path.Base(p.Name) == contents:
			return -1
		}
		return 0
	}
	group := func(p *Page) int {
		return slices.IndexFunc(groups, func(g struct{ folder, title string }) bool { return g.title == p.Group })
	}
	slices.SortStableFunc(b.pages, func(x, y *Page) int { return cmp.Or(group(x)-group(y), place(x)-place(y)) })
	return b, nil
}

// contents is the name of the first page of a folder.
const contents = "README"

// list makes the first page of a folder that has none: a link to each of its pages.
func list(title string, pages []*Page) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", title)
	for _, p := range pages {
		fmt.Fprintf(&b, "- [%s](%s.md)\n", strings.NewReplacer("[", `\[`, "]", `\]`, "_", `\_`, "*", `\*`, "<", `\<`).Replace(p.Title), path.Base(p.Name))
	}
	return b.Bytes()
}

// order adds the guides to which the first page links to places, in the order of the links.
func (b *Book) order(tree ast.Node, places map[string]int) {
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		if link, is := n.(*ast.Link); is && entering {
			to, err := url.Parse(string(link.Destination))
			if err != nil || to.Path == "" {
				return ast.WalkContinue, nil
			}
			name := resolve(contents, to.Path)
			if p := b.byName[name]; p != nil && p.Group == groups[0].title {
				if _, listed := places[name]; !listed {
					places[name] = len(places)
				}
			}
		}
		return ast.WalkContinue, nil
	})
}

// resolve returns the name of the page to which the page from links with the path to.
func resolve(from, to string) string {
	name := path.Join(path.Dir(from), to)
	if path.Ext(name) != ".md" {
		name = path.Join(name, contents+".md") // of a folder
	}
	name = strings.TrimSuffix(name, ".md")
	if outside, is := strings.CutPrefix(name, "../"); is {
		name = project + "/" + outside
	}
	return strings.TrimPrefix(name, project+"/docs/")
}

// read reads the headings and the text of a page.
func (b *Book) read(p *Page, tree ast.Node, source []byte) {
	current := section{page: p}
	var words strings.Builder
	flush := func() {
		current.text = strings.Join(strings.Fields(words.String()), " ")
		if current.text != "" || current.heading.Text != "" {
			b.sections = append(b.sections, current)
		}
		words.Reset()
	}
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		heading, is := n.(*ast.Heading)
		if !is {
			words.WriteString(plain(n, source) + " ")
			continue
		}
		flush()
		h := Heading{Level: heading.Level, Text: plain(n, source)}
		if id, has := heading.AttributeString("id"); has {
			if bytesID, is := id.([]byte); is {
				h.ID = string(bytesID)
			}
		}
		if p.Title == "" {
			p.Title = h.Text
		}
		p.Headings = append(p.Headings, h)
		current = section{page: p, heading: h}
	}
	flush()
	p.Title = cmp.Or(p.Title, p.Name)
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function below never fails
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// link rewrites the links of a page to the addresses at which the application shows the pages.
// Links to other files, such as sources, become plain text. Pictures are removed, because they show
// the application itself.
func (b *Book) link(p *Page, tree ast.Node) {
	var links []ast.Node
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		switch n.(type) {
		case *ast.Link, *ast.Image:
			if entering {
				links = append(links, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range links {
		link, is := n.(*ast.Link)
		if is && b.lead(p, link) {
			continue
		}
		parent := n.Parent()
		for child := n.FirstChild(); is && child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, n, child)
			child = next
		}
		parent.RemoveChild(parent, n)
		if parent.ChildCount() == 0 {
			parent.Parent().RemoveChild(parent.Parent(), parent)
		}
	}
}

// lead rewrites a link to the address of its page. It returns false if there is no such page.
func (b *Book) lead(p *Page, link *ast.Link) bool {
	to, err := url.Parse(string(link.Destination))
	if err != nil {
		b.broken = append(b.broken, p.Name+": "+string(link.Destination))
		return false
	}
	if to.Scheme == "https" || to.Scheme == "http" {
		link.SetAttributeString("target", []byte("_blank"))
		link.SetAttributeString("rel", []byte("noreferrer"))
		return true
	}
	name := p.Name
	if to.Path != "" {
		name = resolve(p.Name, to.Path)
	}
	target := b.byName[name]
	if to.Scheme != "" || target == nil {
		return false
	}
	if to.Fragment != "" && !slices.ContainsFunc(target.Headings, func(h Heading) bool { return h.ID == to.Fragment }) {
		b.broken = append(b.broken, p.Name+": "+string(link.Destination))
		to.Fragment = ""
	}
	link.Destination = []byte(Address(name, to.Fragment))
	return true
}

// Address returns the address of a page, at the heading with the given ID unless id is "".
func Address(name, id string) string {
	address := "#/help/" + url.PathEscape(name)
	if id != "" {
		address += "?at=" + url.QueryEscape(id)
	}
	return address
}

// Pages lists the pages in order.
func (b *Book) Pages() []Head {
	var list []Head
	for _, p := range b.pages {
		list = append(list, p.Head)
	}
	return list
}

// Page returns a page by its name.
func (b *Book) Page(name string) (Page, bool) {
	p := b.byName[name]
	if p == nil {
		return Page{}, false
	}
	return *p, true
}
