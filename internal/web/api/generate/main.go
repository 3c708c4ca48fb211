// Command generate writes the OpenAPI description of the API, from which clients are generated.
package main

import (
	"log"
	"os"
	"path/filepath"

	"sledge/internal/web/api"
)

func main() {
	log.SetFlags(0)
	folder := filepath.Join("..", "..", "..", "docs", "api")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		log.Fatalf("generate the description of the API: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), api.Document(), 0o644); err != nil {
		log.Fatalf("generate the description of the API: %v", err)
	}
}
