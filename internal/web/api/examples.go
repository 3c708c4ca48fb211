package api

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// recordedExamples are requests and responses of a real server, which the tests recorded: go test
// ./internal/web/api -run TestExamples -update.
//
//go:embed examples.json
var recordedExamples []byte

// example is a request with its response. Long lists and texts of the response are cut.
type example struct {
	Operation string          `json:"operation"` // ID of the operation
	Path      string          `json:"path"`      // with the query
	Request   json.RawMessage `json:"request,omitempty"`
	Status    int             `json:"status"`
	Kind      string          `json:"kind,omitempty"`     // media type of the response, unless it is application/json
	Response  json.RawMessage `json:"response,omitempty"` // a string unless Kind is JSON
}

// examples returns the recorded examples, in the order in which they were recorded.
func examples() (list []example) {
	if err := json.Unmarshal(recordedExamples, &list); err != nil {
		panic(err) // the file is ours
	}
	return list
}

// illustrate adds the examples to the description: the first successful one of each operation, and the
// first one of each refusal.
func (t *table) illustrate() {
	operations := map[string]*huma.Operation{}
	for _, o := range operationsOf(t.huma.OpenAPI()) {
		operations[o.OperationID] = o
	}
	for _, e := range examples() {
		o := operations[e.Operation]
		if o == nil {
			continue // the test reports it
		}
		if e.Status >= 300 {
			show(t.huma.OpenAPI().Components.Responses[refusalName(e.Status)].Content[problemKind], e.Response)
			continue
		}
		if e.Request != nil {
			show(o.RequestBody.Content["application/json"], e.Request)
		}
		if e.Response != nil {
			kind := e.Kind
			if kind == "" {
				kind = "application/json"
			}
			show(o.Responses[strconv.Itoa(e.Status)].Content[kind], e.Response)
		}
		illustrateParameters(o, e.Path)
	}
}

// show adds an example unless there is one.
func show(m *huma.MediaType, value json.RawMessage) {
	if m.Example == nil {
		m.Example = value
	}
}

// illustrateParameters adds the values in the path and the query of an example.
func illustrateParameters(o *huma.Operation, address string) {
	path, text, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(text)
	if err != nil {
		panic(err) // the file is ours
	}
	given := strings.Split(path, "/")
	for i, part := range strings.Split(o.Path, "/") {
		if name, is := strings.CutPrefix(part, "{"); is {
			values.Set(strings.TrimSuffix(name, "}"), given[i])
		}
	}
	for _, p := range o.Parameters {
		text := values.Get(p.Name)
		if text == "" || p.Example != nil {
			continue
		}
		switch p.Schema.Type {
		case huma.TypeString:
			p.Example = text
		case huma.TypeArray:
			list, _ := json.Marshal(values[p.Name]) // strings
			if p.Schema.Items.Type != huma.TypeString {
				list = []byte("[" + strings.Join(values[p.Name], ",") + "]")
			}
			p.Example = json.RawMessage(list)
		default:
			p.Example = json.RawMessage(text)
		}
	}
}

// operationsOf returns all operations of the description, in no order.
func operationsOf(described *huma.OpenAPI) (list []*huma.Operation) {
	for _, item := range described.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o != nil {
				list = append(list, o)
			}
		}
	}
	return list
}
