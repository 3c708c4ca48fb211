package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sledge/internal/meter"
)

// table is the table of the API's operations. Everything in the description follows from it.
type table struct {
	mux  *http.ServeMux
	huma huma.API
	text []byte // the OpenAPI description
}

func newTable() *table {
	mux := http.NewServeMux()
	return &table{mux: mux, huma: humago.NewWithPrefix(mux, Prefix, configuration())}
}

// configuration returns the configuration of huma: the parts of the description that belong to no
// operation, and the rules for all requests.
func configuration() huma.Config {
	c := huma.DefaultConfig("Sledge", "1")
	c.Info.Description = "Load tests for databases: set them up, run them, follow them, and read their results."
	c.Info.License = &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // the default hook adds a member to every document
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", nameOf)
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[meter.Summary](), reflect.TypeFor[meter.CodedSummary]()) // as it is encoded
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		byToken: {Type: "http", Scheme: "bearer", Description: "The token of a user, which sledge web user add NAME --role look --token prints."},
		byLogin: {Type: "apiKey", In: "cookie", Name: "sledge-8080", Description: "The login of a browser. The name of the cookie ends with the port on which the server listens."},
	}
	c.Transformers = []huma.Transformer{withoutValues}
	c.RejectUnknownQueryParameters = true
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format} // the second is for types that end in +json
	return c
}

// The security schemes. The server that mounts the API checks them.
const (
	byToken = "token"
	byLogin = "login"
)

// operationOf returns the ID of the operation that a request asks for, and its path with parameters in
// braces. Both are "" for an unknown address.
func (t *table) operationOf(r *http.Request) (id, path string) {
	_, pattern := t.mux.Handler(r)
	method, path, _ := strings.Cut(pattern, " ")
	item := t.huma.OpenAPI().Paths[strings.TrimPrefix(path, Prefix)]
	if item == nil {
		return "", ""
	}
	for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
		if o != nil && o.Method == method {
			return o.OperationID, path
		}
	}
	return "", ""
}

// roleOf returns the role that a user needs for an operation.
func roleOf(o huma.Operation) string {
	isIn := func(list []string) bool {
		return slices.ContainsFunc(list, func(path string) bool {
			return Prefix+o.Path == path || strings.HasPrefix(Prefix+o.Path, path+"/")
		})
	}
	switch {
	case o.Method == http.MethodGet && !isIn(Private):
		return "look"
	case o.Method != http.MethodGet && isIn(Owned):
		return "own"
	}
	return "act"
}

// Statuses that operations list as their Errors, in addition to those that refusalsOf derives.
var (
	notFound = []int{http.StatusNotFound}
	conflict = []int{http.StatusConflict}

	// ofConnection are those of operations that log in to a database server with settings.
	ofConnection = []int{http.StatusNotFound, http.StatusConflict}

	// ofStart are those of operations that start something.
	ofStart = []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable}
)

// refusals are the errors of operations, by status. Errors that every address of the server may
// return, and bugs, are described as the default response.
var refusals = map[int]string{
	http.StatusBadRequest:            "The body is not JSON, or it is missing.",
	http.StatusUnauthorized:          "The request has no token and no login, or they are not valid any more.",
	http.StatusForbidden:             "The user's role is look, or act where it must be own, the server was started with --read-only, scripts may not run, or a page of another site sent the request.",
	http.StatusNotFound:              "The thing that the request names does not exist.",
	http.StatusConflict:              "Not now: the job is running, has ended, or belongs to another program; the thing exists already; or the database server does not answer, or refuses the login.",
	http.StatusRequestEntityTooLarge: fmt.Sprintf("The body is larger than %d KiB.", mostBody>>10),
	http.StatusUnsupportedMediaType:  "The body is not of the type application/json.",
	http.StatusUnprocessableEntity:   "The request has a mistake: option names the setting, and mistakes lists every wrong value and every part of the wrong type. Nothing was done.",
	http.StatusTooManyRequests:       "Too many jobs, streams or other tasks at once: wait until one ends, or stop one.",
	http.StatusServiceUnavailable:    "The server is ending.",
}

// refusalsOf returns the statuses with which an operation may refuse a request. Every operation
// refuses unknown parameters.
func refusalsOf(o huma.Operation, hasBody bool) []int {
	list := append([]int{http.StatusUnauthorized, http.StatusUnprocessableEntity}, o.Errors...)
	if roleOf(o) != "look" {
		list = append(list, http.StatusForbidden)
	}
	if strings.Contains(o.Path, "{") {
		list = append(list, http.StatusNotFound)
	}
	if hasBody {
		list = append(list, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if isStream(o) {
		list = append(list, http.StatusTooManyRequests)
	}
	return list
}

// refusalName returns the name of a refusal among the components of the description.
func refusalName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

// add adds an operation. Every error that it returns becomes a Problem. The description gets the
// role and the errors that follow from the operation's path, method and body; o.Errors lists the
// others.
func add[I, O any](t *table, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	if o.Responses == nil {
		o.Responses = map[string]*huma.Response{}
	}
	_, hasBody := reflect.TypeFor[I]().FieldByName("Body")
	for _, status := range refusalsOf(o, hasBody) {
		o.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + refusalName(status)}
	}
	o.Errors = nil // huma would describe them as its own documents
	o.Responses[strconv.Itoa(http.StatusRequestHeaderFieldsTooLarge)] = &huma.Response{Ref: "#/components/responses/" + tooLong}
	o.Responses["default"] = &huma.Response{Ref: "#/components/responses/" + otherRefusal}
	o.Security = []map[string][]string{{byToken: {roleOf(o)}}, {byLogin: {roleOf(o)}}}
	o.MaxBodyBytes = mostBody
	o.Middlewares = append(o.Middlewares, t.withoutEmptyParameters)
	huma.Register(t.huma, o, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, problemOf(err)
		}
		return out, nil
	})
}

// Names of responses that no status in refusals has.
const (
	otherRefusal = "Refused" // the default
	tooLong      = "TooLong"
)

// get describes an operation that changes nothing.
func get(id, path, summary string, tag string) huma.Operation {
	return huma.Operation{OperationID: id, Method: http.MethodGet, Path: path, Summary: summary, Tags: []string{tag}}
}

// of is a request or a response whose body is a document.
type of[T any] struct{ Body T }

// answer turns a document, or the error of creating it, into a response.
func answer[T any](document T, err error) (*of[T], error) {
	if err != nil {
		return nil, err
	}
	return &of[T]{document}, nil
}

// methodsOf returns the methods that the address of a request accepts. If several paths match the
// address, only the one with the fewest parameters counts: /datagen/verify does not accept GET, although
// /datagen/{id} does.
func (t *table) methodsOf(r *http.Request) (methods []string) {
	best := ""
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		_, pattern := t.mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host})
		_, path, found := strings.Cut(pattern, " ")
		switch {
		case !found:
			continue
		case best == "" || strings.Count(path, "{") < strings.Count(best, "{"):
			best, methods = path, nil
		case path != best:
			continue
		}
		methods = append(methods, method)
	}
	return methods
}

// Document returns the OpenAPI 3.1 description of the API as JSON.
func Document() []byte {
	a := New(Config{})
	a.Close()
	return a.text
}

// describe creates the OpenAPI description, and serves it as JSON and as a page.
func (t *table) describe() {
	described := t.huma.OpenAPI()
	described.Components.Responses = t.describeRefusals()
	t.illustrate()
	schemas := described.Components.Schemas.Map()
	for name, schema := range schemas {
		if strings.HasPrefix(name, "huma.") {
			delete(schemas, name) // Problem replaces them
		}
		for _, member := range schema.Properties {
			member.Nullable = member.Nullable && member.Type != huma.TypeArray // an array without elements is empty or left out
		}
	}
	t.text = encoded(described)
	page := pageOf(described)
	serve := func(path, kind string, text []byte) {
		t.mux.HandleFunc("GET "+Prefix+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(text) // the client may be gone
		})
	}
	serve("/openapi.json", "application/openapi+json", t.text)
	serve("/docs", "text/html; charset=utf-8", page)
}

// encoded returns the description as JSON. It describes a Value by what it is not, because generators
// make a class of a choice between simple types, and use their language's own type for any value.
// Requests are validated with the choice, which has better messages.
func encoded(described *huma.OpenAPI) []byte {
	for _, schema := range described.Components.Schemas.Map() {
		for _, member := range schema.Properties {
			if value, is := member.AdditionalProperties.(*huma.Schema); is && value.OneOf != nil {
				choice := value.OneOf
				value.OneOf, value.Not = nil, &huma.Schema{Extensions: map[string]any{"type": []string{huma.TypeObject, huma.TypeArray, "null"}}}
				defer func() { value.OneOf, value.Not = choice, nil }()
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(described); err != nil {
		panic(err) // the types are ours
	}
	return b.Bytes()
}

// describeRefusals describes the errors of operations, by their names.
func (t *table) describeRefusals() map[string]*huma.Response {
	schema := t.huma.OpenAPI().Components.Schemas.Schema(problemType, true, "")
	refusal := func(description string) *huma.Response {
		return &huma.Response{Description: description, Content: map[string]*huma.MediaType{problemKind: {Schema: schema}}}
	}
	all := map[string]*huma.Response{otherRefusal: refusal("The request was refused, or the server has a bug; the Problem has the reason.")}
	all[tooLong] = &huma.Response{ // net/http sends it before any of our code runs
		Description: "The address and the headers are longer than 64 KiB.",
		Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	for status, description := range refusals {
		all[refusalName(status)] = refusal(description)
	}
	return all
}

// withoutEmptyParameters refuses parameters of the query without a value, which huma would take for
// missing ones: a program that sends before= would read the first part of a list again and again.
func (t *table) withoutEmptyParameters(c huma.Context, next func(huma.Context)) {
	address := c.URL()
	query := address.Query()
	for _, p := range c.Operation().Parameters {
		if p.In == "query" && slices.Contains(query[p.Name], "") {
			where := "query." + p.Name
			_ = huma.WriteErr(t.huma, c, http.StatusUnprocessableEntity, "validation failed",
				&huma.ErrorDetail{Location: where, Message: "this parameter has no value: leave it out"}) // the client may be gone
			return
		}
	}
	next(c)
}

// absent stands for null in the body of a request, so that huma's validation refuses it: no member of
// a request may be null. huma would take null for a missing member.
type absent struct{}

// unmarshal parses the body of a request. huma calls it twice: with a pointer to any for validation,
// and with a pointer to the body's type.
func unmarshal(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	if parsed, is := into.(*any); is {
		*parsed = withoutNull(*parsed)
	}
	return nil
}

// withoutNull replaces each null of a document.
func withoutNull(value any) any {
	switch v := value.(type) {
	case nil:
		return absent{}
	case map[string]any:
		for name, member := range v {
			v[name] = withoutNull(member)
		}
	case []any:
		for i, element := range v {
			v[i] = withoutNull(element)
		}
	}
	return value
}
