package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/privatefile"
)

// Saved is an agent that this user may watch.
type Saved struct {
	Name        string `json:"name"`        // of the machine: the label machine of its series
	Address     string `json:"address"`     // host and port
	Fingerprint string `json:"fingerprint"` // of its certificate: SHA-256, 64 lower-case hexadecimal digits
	Token       string `json:"token"`
}

// Own is the label machine of the series of the machine that Sledge runs on. No agent can have it as
// its name.
const Own = job.ClientMachine

// Port is the port on which agents listen by default.
const Port = 7343

// FingerprintOf returns the fingerprint of a certificate in DER.
func FingerprintOf(certificate []byte) string {
	sum := sha256.Sum256(certificate)
	return hex.EncodeToString(sum[:])
}

// ReadFingerprint returns a fingerprint that may have colons and upper-case letters, as sledge agent
// init and openssl print it.
func ReadFingerprint(text string) (string, error) {
	digits := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), ":", ""))
	if sum, err := hex.DecodeString(digits); err != nil || len(sum) != sha256.Size {
		return "", errors.New("a fingerprint has 64 hexadecimal digits: copy the one that sledge agent init printed")
	}
	return digits, nil
}

// names matches names of agents, which need no escaping in options, files and URLs.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName returns an error if an agent cannot have a name.
func CheckName(name string) error {
	switch {
	case name == Own:
		return errors.New("client is the name of the machine that Sledge runs on: choose another one")
	case !names.MatchString(name):
		return fmt.Errorf("%.70q is not a name of an agent: use up to 64 letters, digits, dots, hyphens and underscores, such as db1", name)
	}
	return nil
}

// AddressOf returns a host with a port: the given one, or the default port.
func AddressOf(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), fmt.Sprint(Port)
	}
	if host == "" || strings.ContainsAny(host, "/@ ?#") {
		return "", fmt.Errorf("%.100q is not a host and a port, such as db1:%d", text, Port)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return "", fmt.Errorf("%.20q is not a port", port)
	}
	return net.JoinHostPort(host, port), nil
}

// List is the file of saved agents, which only its owner may read, because it has tokens. It is safe
// for concurrent use, also by several programs. The zero value has no agents.
type List struct{ Path string }

// FileName is the name of the file, which is beside the default job repository.
const FileName = "agents.json"

// ListIn returns the agents that are saved in a folder.
func ListIn(folder string) List { return List{filepath.Join(folder, FileName)} }

// mostSaved limits the file, which is read whole.
const mostSaved = 1000

// Read returns all agents, sorted by name.
func (l List) Read() ([]Saved, error) {
	if l.Path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the saved agents: %w", err)
	}
	var list []Saved
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read the saved agents in %s: %w: correct the file, or remove it and save the agents again", l.Path, err)
	}
	return list, nil
}

// Get returns the agent of a name, or an error that lists the names.
func (l List) Get(name string) (Saved, error) {
	list, err := l.Read()
	if err != nil {
		return Saved{}, err
	}
	var known []string
	for _, one := range list {
		if one.Name == name {
			return one, nil
		}
		known = append(known, one.Name)
	}
	says := "no agent is saved"
	if len(known) > 0 {
		says = "the names are " + strings.Join(known, ", ")
	}
	return Saved{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no agent %.70q%s (%s; sledge agent add NAME HOST saves one)", name, option.Suggest(name, known), says))
}

// Check returns the error with which Put would refuse an agent of a name.
func (l List) Check(name string, replace bool) error {
	list, err := l.Read()
	if err == nil && !replace && slices.ContainsFunc(list, func(o Saved) bool { return o.Name == name }) {
		err = job.WithExit(job.ExitExists, fmt.Errorf("the agent %s is saved already: choose another name, or replace it with --replace", name))
	}
	return err
}

// Put saves an agent. It replaces one of the same name only if replace is true.
func (l List) Put(agent Saved, replace bool) error {
	return l.change(func(list []Saved) ([]Saved, error) {
		if err := l.Check(agent.Name, replace); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(o Saved) bool { return o.Name == agent.Name })
		switch {
		case at >= 0:
			list[at] = agent
		case len(list) >= mostSaved:
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%d agents are saved, which is the limit: remove one", mostSaved))
		default:
			list = append(list, agent)
		}
		return list, nil
	})
}

// Remove removes the agent of a name.
func (l List) Remove(name string) error {
	if _, err := l.Get(name); err != nil {
		return err
	}
	return l.change(func(list []Saved) ([]Saved, error) {
		return slices.DeleteFunc(list, func(o Saved) bool { return o.Name == name }), nil
	})
}

// change replaces the file under its lock.
func (l List) change(do func([]Saved) ([]Saved, error)) error {
	unlock, err := privatefile.Lock(l.Path)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := l.Read()
	if err != nil {
		return err
	}
	if list, err = do(list); err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b Saved) int { return strings.Compare(a.Name, b.Name) })
	return privatefile.ReplaceJSON(l.Path, list)
}
