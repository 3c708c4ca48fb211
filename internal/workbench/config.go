package workbench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"

	"sledge/internal/option"
)

// The keys that are not options. The environment has them in upper case.
const (
	keyDatabase = "db"
	keyWorkload = "workload"
	keyUsers    = "users"
	keySeed     = "seed"
)

// optionsTable is the table of a configuration file that may hold its options;
// they may as well stand at the top.
const optionsTable = "options"

// readConfig reads a configuration file, whose format its name tells.
func (b Bench) readConfig(path string) (place, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	var content map[string]any
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		content, err = parseTOML(string(text))
	case ".yaml", ".yml":
		content, err = parseYAML(text)
	default:
		err = errors.New("its name must end in .toml, .yaml or .yml")
	}
	if err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	p := place{}
	if err := p.fill(content, path); err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	known := b.knownNames()
	for name := range p.sorted() {
		if !known[name] {
			return nil, fmt.Errorf("configuration file %s: %s is not known%s", path, name, option.Suggest(name, known.list()))
		}
	}
	return p, nil
}

// parseTOML says where a file is wrong, but not what stands there: it may be a
// password.
func parseTOML(text string) (content map[string]any, err error) {
	_, err = toml.Decode(text, &content)
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("line %d is not valid TOML: write name = 1 or name = \"text\", each once", wrong.Position.Line)
	}
	return content, err
}

func parseYAML(text []byte) (map[string]any, error) {
	var content any
	if err := yaml.Unmarshal(text, &content); err != nil {
		return nil, err
	}
	if content == nil {
		return nil, nil
	}
	table, ok := content.(map[string]any)
	if !ok {
		return nil, errors.New("it does not hold lines such as db: postgresql")
	}
	return table, nil
}

// fill takes the keys of a configuration file, and those of its options table.
func (p place) fill(content map[string]any, path string) error {
	for name, value := range content {
		if table, ok := value.(map[string]any); ok && name == optionsTable {
			for _, general := range []string{keyDatabase, keyWorkload, keyUsers, keySeed, optionsTable} {
				if _, ok := table[general]; ok {
					return fmt.Errorf("%s is not an option: it goes before the table %s", general, optionsTable)
				}
			}
			if err := p.fill(table, path); err != nil {
				return err
			}
			continue
		}
		text, err := scalar(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, twice := p[name]; twice {
			return fmt.Errorf("%s is there twice", name)
		}
		p[name] = entry{text: text, origin: path, folder: filepath.Dir(path)}
	}
	return nil
}

// scalar spells a value of a configuration file as an option's text.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", errors.New("its value must be a text, a number, true or false")
}
