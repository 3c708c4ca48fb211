package privatefile

import "encoding/json"

// ReplaceJSON replaces the content of a file by a value in JSON, as Replace does.
func ReplaceJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, append(text, '\n'))
}
