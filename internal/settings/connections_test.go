package settings_test

import (
	"fmt"
	"sync"
	"testing"

	"sledge/internal/option"
	"sledge/internal/settings"
)

// Several programs save connections in one folder at the same time. No connection may be lost.
func TestConnections_KeepConcurrentChanges(t *testing.T) {
	folder := t.TempDir()
	const programs, each = 4, 10
	var all sync.WaitGroup
	for program := range programs {
		all.Go(func() {
			kept := resolver.ConnectionsIn(folder)
			for n := range each {
				one := settings.Connection{Name: fmt.Sprintf("c%d-%d", program, n), Database: "pg", Values: option.Values{"host": "lab"}}
				if _, err := kept.Put(one, false, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	list, err := resolver.ConnectionsIn(folder).List()
	if err != nil || len(list) != programs*each {
		t.Errorf("got %d connections, %v, want %d", len(list), err, programs*each)
	}
}
