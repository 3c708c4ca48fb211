package selftest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"sledge/internal/option"
)

// publish removes secrets from a report, and names of machines unless they are wanted.
func (t *Test) publish(r Report) Report {
	if !t.WithHosts {
		r.Client.Name = ""
	}
	hidden := map[string]bool{}
	for _, order := range t.orders {
		secrets := order.Spec.Secrets.Reveal()
		for _, o := range order.Plan.Options() {
			value, set := order.Spec.Options[o.Name]
			_, secret := secrets[o.Name]
			switch {
			case o.Secret && secret, set && value != o.Default && !t.WithHosts && leads(o) && !loopback(value):
				hidden[o.Name] = true
			case set && value != o.Default:
				r.Options[o.Name] = value
			}
		}
	}
	r.Hidden = slices.Sorted(maps.Keys(hidden))
	clean := t.cleaner(t.WithHosts)
	for name, value := range r.Options {
		r.Options[name] = clean(value)
	}
	settings := map[string]string{}
	for name, value := range r.Settings {
		settings[name] = clean(value)
	}
	r.Settings = settings
	for i, text := range r.LeftBehind {
		r.LeftBehind[i] = clean(text)
	}
	r.Server, r.Product = clean(r.Server), clean(r.Product)
	return r
}

// cleaned returns a step without passwords, and without names of machines unless withHosts is set.
func (t *Test) cleaned(s Step, withHosts bool) Step {
	clean := t.cleaner(withHosts)
	for _, texts := range []*[]string{&s.Says, &s.Notes} {
		*texts = slices.Clone(*texts)
		for i, text := range *texts {
			(*texts)[i] = clean(text)
		}
	}
	return s
}

// leads reports whether an option's value may name a machine.
func leads(o option.Description) bool {
	return o.Group == option.Connection && o.Kind == "string" && len(o.Choices) == 0
}

// loopback reports whether a host is a common name of this machine.
func loopback(value string) bool {
	return value == "localhost" || value == "127.0.0.1" || value == "::1"
}

// addresses returns the addresses of the machines in the options, if they resolve in time.
func (t *Test) addresses(ctx context.Context) (list []string) {
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	for _, order := range t.orders {
		for _, o := range order.Plan.Options() {
			value, set := order.Spec.Options[o.Name]
			if set && value != o.Default && leads(o) && !strings.ContainsAny(value, `/\`) { // not a path
				for _, host := range hosts(value) {
					found, _ := net.DefaultResolver.LookupHost(ctx, host) // a name that does not resolve has no address
					list = append(list, found...)
				}
			}
		}
	}
	return list
}

// hosts returns the machines in the value of an option that names one or several.
func hosts(value string) (list []string) {
	for _, one := range strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == ' ' }) {
		host, _, err := net.SplitHostPort(one)
		if err != nil {
			host = one
		}
		list = append(list, host)
	}
	return list
}

// cleaner replaces passwords that are not a default in a text, and names and addresses of machines
// unless they are wanted.
func (t *Test) cleaner(withHosts bool) func(text string) string {
	words := map[string]string{}
	hide := func(word, with string) {
		const shortest = 3 // a shorter word may be part of others, so it must match a whole word
		if _, there := words[word]; there || word == "" || loopback(word) {
			return
		}
		if len(word) >= shortest {
			words[word] = with
			return
		}
		for _, end := range []string{" ", ":", ","} {
			words[" "+word+end] = " " + with + end
		}
	}
	for _, order := range t.orders {
		given := order.Spec.Values()
		for _, o := range order.Plan.Options() {
			value, set := given[o.Name]
			switch {
			case !set || value == o.Default || value == "null":
			case o.Secret:
				for _, spelled := range spellings(value) {
					hide(spelled, "(password)")
				}
			case leads(o) && !withHosts:
				hide(value, "("+o.Name+")")
				for _, host := range hosts(value) {
					hide(host, "("+o.Name+")")
				}
			}
		}
	}
	if !withHosts {
		for _, address := range t.servers {
			hide(address, "(server)")
		}
		for _, own := range ownNames() {
			hide(own, "(client)")
		}
	}
	// If two words begin alike, the longer one is replaced first.
	var pairs []string
	for _, word := range slices.SortedFunc(maps.Keys(words), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, word, words[word])
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = replacer.Replace(text)
		if !withHosts {
			text = seenAs.ReplaceAllString(text, "@'(client)'")
		}
		return text
	}
}

// seenAs matches MySQL's errors, which name the user's machine as the server sees it.
var seenAs = regexp.MustCompile(`@'[^'%]+'`)

// ownNames returns the name and the addresses of this machine.
func ownNames() (list []string) {
	if name, err := os.Hostname(); err == nil {
		list = append(list, name)
	}
	addresses, err := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, is := a.(*net.IPNet); err == nil && is && !n.IP.IsLoopback() {
			list = append(list, n.IP.String())
		}
	}
	return list
}

// spellings returns the forms in which a password may be written, such as in a URL.
func spellings(password string) []string {
	return []string{password, url.QueryEscape(password), url.PathEscape(password), fmt.Sprintf("%q", password), strings.ReplaceAll(password, "'", "''")}
}
