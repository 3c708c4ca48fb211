package database_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
)

func TestAddresses(t *testing.T) {
	for list, want := range map[string][]database.Address{
		"db1":               {{Host: "db1", Port: 5432}},
		"::1":               {{Host: "::1", Port: 5432}},
		"/run/postgresql":   {{Host: "/run/postgresql", Port: 5432}},
		"a,b":               {{Host: "a", Port: 5432}, {Host: "b", Port: 5432}},
		"a:1,b:2":           {{Host: "a", Port: 1}, {Host: "b", Port: 2}},
		"a, b:2 ":           {{Host: "a", Port: 5432}, {Host: "b", Port: 2}},
		"::1,[::2]:7,/sock": {{Host: "::1", Port: 5432}, {Host: "::2", Port: 7}, {Host: "/sock", Port: 5432}},
	} {
		if got, err := database.Addresses(list, 5432); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v and error %v, want %v", list, got, err, want)
		}
	}
	for list, want := range map[string]string{
		"a,":       "empty name",
		"a,:5":     "empty name",
		"a, ,b":    "empty name",
		"a,b:":     "no port from 1 to 65535",
		"a,b:x":    "no port from 1 to 65535",
		"a,b:0":    "no port from 1 to 65535",
		"a,[::1":   "is not an address",
		"a,[::1]5": "is not an address",
	} {
		if got, err := database.Addresses(list, 5432); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v and error %v, want one with %q", list, got, err, want)
		}
	}
}

func TestConnectFirst_UsesFirstServerThatAccepts(t *testing.T) {
	var asked []string
	connect := func(server string) (string, error) {
		asked = append(asked, server)
		if strings.HasPrefix(server, "dead") {
			return "", errors.New(server + " is dead")
		}
		return "session at " + server, nil
	}
	got, err := database.ConnectFirst([]string{"dead 1", "a", "b"}, connect)
	if got != "session at a" || err != nil || !slices.Equal(asked, []string{"dead 1", "a"}) {
		t.Errorf("got %q and error %v, having asked %q", got, err, asked)
	}
	if _, err := database.ConnectFirst([]string{"dead 1", "dead 2"}, connect); err == nil || err.Error() != "dead 1 is dead\ndead 2 is dead" {
		t.Errorf("two dead servers: got error %v", err)
	}
}
