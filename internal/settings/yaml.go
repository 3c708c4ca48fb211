package settings

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseYAML parses a file. Its errors contain positions but no text, which may be a password.
func parseYAML(text string) ([]item, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	var document, more yaml.Node
	err := d.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, wrongYAML(text, err)
	}
	if err := d.Decode(&more); err == nil && !isEmpty(&more) {
		return nil, fmt.Errorf("line %d: a second document begins here, but Sledge reads only one: remove the line --- before it, or move it to another file", more.Content[0].Line)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, wrongYAML(text, err)
	}
	if isEmpty(&document) {
		return nil, nil
	}
	table := document.Content[0]
	if table.Kind != yaml.MappingNode {
		return nil, errors.New("it contains no settings: write lines such as db: postgresql")
	}
	return yamlItems(table, 0)
}

// isEmpty reports whether a document is empty.
func isEmpty(document *yaml.Node) bool {
	return len(document.Content) == 0 || document.Content[0].Kind == yaml.ScalarNode && document.Content[0].Value == ""
}

// unknownAnchor matches the YAML package's error about a value that begins with a star. yamlLine
// matches the line number in its other errors.
var (
	unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
	yamlLine      = regexp.MustCompile(`line (\d+)`)
)

// wrongYAML returns an error about invalid YAML. It leaves out the YAML package's own message,
// which quotes the file.
func wrongYAML(text string, err error) error {
	if anchor := unknownAnchor.FindStringSubmatch(err.Error()); anchor != nil {
		for n, line := range strings.Split(text, "\n") {
			if column := strings.Index(line, "*"+anchor[1]); column >= 0 {
				return fmt.Errorf("line %d, column %d: a value that begins with * refers to an anchor, but there is no anchor of that name: put text in quotes", n+1, column+1)
			}
		}
	}
	where := "it"
	if line := yamlLine.FindStringSubmatch(err.Error()); line != nil {
		where = "line " + line[1]
	}
	return fmt.Errorf("%s is not valid YAML: write name: 1 or name: \"text\", and put text with special characters in quotes", where)
}

// deepest limits nested tables and references, far above any need; it stops a table that refers
// to itself.
const deepest = 4

// yamlItems returns the keys of a table in the order of the file. Keys that << merges come last,
// without those that the table has itself.
func yamlItems(table *yaml.Node, depth int) (items []item, err error) {
	var merged []item
	for n := 0; n+1 < len(table.Content); n += 2 {
		key, value := table.Content[n], target(table.Content[n+1])
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a name must be one word", key.Line)
		}
		i := item{key: key.Value, line: key.Line}
		switch {
		case depth == deepest:
			i.what = isStrange
		case key.Tag == "!!merge" && value.Kind == yaml.MappingNode:
			if merged, err = yamlItems(value, depth+1); err != nil {
				return nil, err
			}
			continue
		case value.Kind == yaml.MappingNode:
			i.what = isTable
			if i.table, err = yamlItems(value, depth+1); err != nil {
				return nil, err
			}
		case value.Kind == yaml.SequenceNode:
			i.list = true
			for _, one := range value.Content {
				text, what := yamlText(target(one))
				if what != isValue {
					i.what = isStrange
				}
				i.values = append(i.values, text)
			}
		default:
			var text string
			text, i.what = yamlText(value)
			i.values = []string{text}
		}
		items = append(items, i)
	}
	own := map[string]bool{}
	for _, i := range items {
		own[i.key] = true
	}
	for _, i := range merged {
		if !own[i.key] {
			items = append(items, i)
		}
	}
	return items, nil
}

// target returns the node to which a reference refers, or the node itself.
func target(n *yaml.Node) *yaml.Node {
	for depth := 0; n.Kind == yaml.AliasNode && depth < deepest; depth++ {
		n = n.Alias
	}
	return n
}

// yamlText returns a value as it is written in the file, so that the password 0123 keeps its zero,
// except numbers in notations that only YAML has.
func yamlText(n *yaml.Node) (string, kind) {
	if n.Kind != yaml.ScalarNode {
		return "", isStrange
	}
	if tag := n.ShortTag(); strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!") {
		return "", isTagged
	}
	switch n.ShortTag() {
	case "!!null":
		if strings.EqualFold(n.Value, "null") {
			return "null", isValue // the word for a missing value in MySQL's options
		}
		return "", isNothing
	case "!!int":
		var number int64
		if _, err := strconv.ParseUint(n.Value, 10, 64); err != nil && n.Decode(&number) == nil {
			return strconv.FormatInt(number, 10), isValue
		}
	case "!!float":
		var number float64
		if _, err := strconv.ParseFloat(n.Value, 64); err != nil && n.Decode(&number) == nil {
			return strconv.FormatFloat(number, 'f', -1, 64), isValue
		}
	case "!!binary":
		return "", isStrange
	}
	return n.Value, isValue
}
