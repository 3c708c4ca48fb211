package web

import (
	"fmt"
	"sync"
	"testing"
)

// No user is lost if two commands add users at the same time.
func TestUsers_KeepConcurrentAdditions(t *testing.T) {
	folder := t.TempDir()
	const programs, each = 4, 10
	var all sync.WaitGroup
	for program := range programs {
		all.Go(func() {
			users := UsersIn(folder)
			for n := range each {
				if _, err := users.AddToken(fmt.Sprintf("u%d-%d", program, n), Everywhere(Look)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	list, err := UsersIn(folder).List()
	if err != nil || len(list) != programs*each {
		t.Errorf("got %d users, %v, want %d", len(list), err, programs*each)
	}
}
