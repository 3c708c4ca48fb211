package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// documented lists the folders with the types of documents.
var documented = []string{"document", "job", "live", "option", "report", "selftest", "settings"}

// Schemas returns a JSON Schema for each format of documents that commands print, and the page that
// lists them, by their names below docs. It reads the comments of the types in the working folder,
// which must be the root of the source.
func Schemas() (map[string][]byte, error) {
	r := jsonschema.Reflector{ExpandedStruct: true, AllowAdditionalProperties: true, Anonymous: true, Namer: nameOf, Mapper: nullable}
	for _, folder := range documented {
		if err := r.AddGoComments("sledge", "./internal/"+folder, jsonschema.WithFullComment()); err != nil {
			return nil, fmt.Errorf("read the comments of %s: %w", folder, err)
		}
	}
	kinds := Documents()
	names := map[string]string{} // of schemas, by type
	for _, k := range kinds {
		names[nameOf(reflect.TypeOf(k.Example))] = k.Schema
	}
	files := map[string][]byte{}
	var page bytes.Buffer
	page.WriteString(schemasHead)
	for _, k := range kinds {
		s := r.Reflect(k.Example)
		s.Title = k.Schema
		isNamed(s, k.Schema)
		for name, inner := range s.Definitions {
			if schema, ok := names[name]; ok {
				isNamed(inner, schema)
			}
		}
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return nil, err
		}
		files["json/"+k.Schema+".json"] = append(text, '\n')
		example, err := spell(k.Example)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\nPrinted by: %s. Schema: [json/%s.json](json/%s.json).\n\n```json\n%s\n```\n",
			k.Schema, s.Description, k.From, k.Schema, k.Schema, example)
	}
	files["json.md"] = page.Bytes()
	return files, nil
}

// nullable returns the schema of a list whose values may be missing, and nil for other types. A member
// that may be missing is left out of a document instead.
func nullable(t reflect.Type) *jsonschema.Schema {
	if t != reflect.TypeFor[[]*float64]() {
		return nil
	}
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}}}}
}

// nameOf returns the name of a type in a schema. It contains the package, because two packages may
// have types of the same name. It returns "" for a type without a name.
func nameOf(t reflect.Type) string {
	if t.Name() == "" || t.PkgPath() == "" {
		return ""
	}
	return path.Base(t.PkgPath()) + "." + t.Name()
}

// isNamed sets the member schema of a document to its constant name.
func isNamed(s *jsonschema.Schema, name string) {
	if member, ok := s.Properties.Get("schema"); ok {
		member.Const, member.Description = name, "The name of the shape."
	}
}

const schemasHead = `# JSON

<!-- Written by go generate ./internal/cli from the declarations; do not edit. -->

With --json, a command prints exactly one JSON document to standard output, even if it fails. Messages
for people go to standard error, and the exit code does not change. Only sledge watch prints several
documents, one on each line.

The member schema of a document names its format and version. A new version means that a program which
reads the old one could misread the new one. New members do not change the version, so ignore members
that you do not know. Names of members include units; times are in UTC.

A job that failed has its own document, with its status and the reason. If a command fails before it
has a document, it prints sledge-error-1.

The output of --hammerdb and of the console's jobs command has exactly the format that scripts for
HammerDB read, and therefore no member schema. The document of jobs ID save is called
hammerdb-job-report-v1, as in HammerDB.
`

// spell returns an example as commands print it.
func spell(document any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}
