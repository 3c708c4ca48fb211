package database

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestURLsAreOptionsAndAName(t *testing.T) {
	clients := map[string]string{"sslmode": "ssl_mode"}
	for text, want := range map[string]string{
		"db://": "map[] ",
		"db://me:p%40ss@h:1/name?SSLMode=full&users=3&users=4": "map[host:h password:p@ss port:1 ssl_mode:full user:me users:4] name",
		"db://me:@[::1]/name/":                                 "map[host:::1 password: user:me] name",
		"db:///?host=/run/sock":                                "map[host:/run/sock] ",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values, name, err := URLOptions(u, clients)
		if got := fmt.Sprint(map[string]string(values), " ", name); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"db://me:hidden@a,b/name":        "several servers",
		"db://me:hidden@h/name/more":     `one name, not in "name/more"`,
		"db://me:hidden@h/?x=%zz&hidden": "the part of the URL after the ?",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = URLOptions(u, clients)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v, want an error that says %q and no password", text, err, want)
		}
	}
}
