package api

import (
	"bytes"
	_ "embed"
	"html/template"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// operation is an operation as the page shows it.
type operation struct {
	Method, Path, Summary, Description string
	Role                               string
	Parameters                         []*huma.Param
	Takes                              []string // names of shapes
	Gives                              []string
}

// pageOf creates the page that lists all operations. The page loads nothing and needs no script.
func pageOf(api *huma.OpenAPI) []byte {
	var list []operation
	for _, one := range operationsOf(api) {
		o := operation{Method: one.Method, Path: Prefix + one.Path, Summary: one.Summary, Description: one.Description, Role: roleOf(*one), Parameters: one.Parameters}
		if one.RequestBody != nil {
			o.Takes = shapesOf(one.RequestBody.Content)
		}
		for status, response := range one.Responses {
			if strings.HasPrefix(status, "2") {
				o.Gives = append(o.Gives, shapesOf(response.Content)...)
			}
		}
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b operation) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, list); err != nil {
		panic(err) // the template is ours
	}
	return b.Bytes()
}

// shapesOf names the types of a request or response.
func shapesOf(content map[string]*huma.MediaType) (names []string) {
	for kind, media := range content {
		name := kind
		if media.Schema != nil && media.Schema.Ref != "" {
			name += ": " + media.Schema.Ref[strings.LastIndexByte(media.Schema.Ref, '/')+1:]
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
