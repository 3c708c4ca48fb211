package oracle

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// defaultPort is the listener's default.
const defaultPort = 1521

// address is the address of a database: a connect descriptor, or hosts with a service or SID.
type address struct {
	descriptor   string // "(DESCRIPTION=...)"; "" if the other fields have the address
	hosts        []database.Address
	service, sid string
	tls          bool
	folder       string // folder of the tnsnames.ora that contains the descriptor
}

// String returns the address for messages. It leaves out the rest of the descriptor, which may
// contain secrets.
func (a address) String() string {
	var at []string
	for _, h := range a.hosts {
		at = append(at, net.JoinHostPort(h.Host, strconv.Itoa(h.Port)))
	}
	text := strings.Join(at, ",")
	switch {
	case a.sid != "":
		return text + ":" + a.sid
	case a.service != "":
		return text + "/" + a.service
	}
	return text
}

// address returns the address of the database.
func (s *server) address() (address, error) {
	if s.Host == "" {
		return s.byInstance()
	}
	hosts, err := database.Addresses(s.Host, s.Port)
	return address{hosts: hosts, service: s.Service, sid: s.SID, tls: s.SSL}, err
}

func (s *server) byInstance() (address, error) {
	text := strings.TrimSpace(s.Instance)
	switch {
	case strings.HasPrefix(text, "("):
		return fromDescriptor(text, "")
	case strings.ContainsAny(text, "/:"):
		a, err := easyConnect(text)
		a.tls = a.tls || s.SSL
		return a, err
	}
	var looked []string
	for _, folder := range s.tnsFolders() {
		path := filepath.Join(folder, "tnsnames.ora")
		looked = append(looked, path)
		file, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return address{}, fmt.Errorf("look for %s: %w", text, err)
		}
		if descriptor, found := descriptorOf(string(file), text); found {
			return fromDescriptor(descriptor, folder)
		}
	}
	where := "and it cannot be a name in tnsnames.ora, because neither TNS_ADMIN nor ORACLE_HOME is set"
	if len(looked) > 0 {
		where = "nor a name in " + strings.Join(looked, " or ")
	}
	return address{}, fmt.Errorf("%q is neither host:port/service nor a connect descriptor, %s", text, where)
}

// tnsFolders returns the folders in which to look for tnsnames.ora, in order.
func (s *server) tnsFolders() []string {
	var folders []string
	switch {
	case s.TNSAdmin != "":
		return []string{s.TNSAdmin}
	case os.Getenv("TNS_ADMIN") != "":
		folders = append(folders, os.Getenv("TNS_ADMIN"))
	}
	if home := os.Getenv("ORACLE_HOME"); home != "" {
		folders = append(folders, filepath.Join(home, "network", "admin"))
	}
	return folders
}

// easy matches host:port/service:mode/instance, in which parts may be left out, and several hosts
// (Oracle Net Services Reference, "Easy Connect Naming Method").
var easy = regexp.MustCompile(`^(?:(tcps?):)?(?://)?([^/]+?)(?:/([^/:?]*)(?::[A-Za-z]+)?(?:/([^/?]*))?)?$`)

// easyConnect parses [tcps://]host[:port][,host...]/service.
func easyConnect(text string) (address, error) {
	if strings.Contains(text, "?") {
		return address{}, fmt.Errorf("%q has settings after a question mark: write a whole descriptor, or use the options for TLS and wallets", text)
	}
	m := easy.FindStringSubmatch(text)
	if m == nil {
		return address{}, fmt.Errorf("%q is not host:port/service", text)
	}
	a := address{tls: m[1] == "tcps", service: m[3]}
	if a.service == "" {
		return address{}, fmt.Errorf("%q names no service: write %s/SERVICE", text, m[2])
	}
	if m[4] != "" {
		return address{}, fmt.Errorf("%q names an instance after the service: write a whole descriptor with INSTANCE_NAME", text)
	}
	hosts := m[2]
	if !strings.Contains(hosts, ",") {
		hosts += "," // so that the last port is matched too
	}
	for one := range strings.SplitSeq(strings.TrimSuffix(hosts, ","), ",") {
		h := database.Address{Host: strings.Trim(one, "[]"), Port: defaultPort}
		if strings.HasPrefix(one, "[") && !strings.HasSuffix(one, "]") || !strings.HasPrefix(one, "[") && strings.Contains(one, ":") {
			name, port, err := net.SplitHostPort(one)
			if err != nil {
				return address{}, fmt.Errorf("%q is not an address: write name, name:port or [address]:port", one)
			}
			if h.Port, err = strconv.Atoi(port); err != nil || h.Port < 1 || h.Port > 65535 {
				return address{}, fmt.Errorf("%q has no port from 1 to 65535 at its end", one)
			}
			h.Host = name
		}
		if h.Host == "" {
			return address{}, fmt.Errorf("%q names no host", text)
		}
		a.hosts = append(a.hosts, h)
	}
	return a, nil
}

// Parts of a descriptor. Blanks may surround any of them.
var (
	descriptorAddress  = regexp.MustCompile(`(?is)\(\s*ADDRESS\s*=((?:\s*\([^()]*\)\s*)+)\)`)
	descriptorPart     = regexp.MustCompile(`(?is)\(\s*([A-Z_]+)\s*=\s*([^()]*?)\s*\)`)
	descriptorBrackets = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")
)

func fromDescriptor(text, folder string) (address, error) {
	a := address{descriptor: descriptorBrackets.Replace(strings.TrimSpace(text)), folder: folder}
	if strings.Count(text, "(") != strings.Count(text, ")") {
		return a, errors.New("the brackets of the connect descriptor do not match")
	}
	for _, m := range descriptorAddress.FindAllStringSubmatch(text, -1) {
		h := database.Address{Port: defaultPort}
		for _, part := range descriptorPart.FindAllStringSubmatch(m[1], -1) {
			switch strings.ToUpper(part[1]) {
			case "HOST":
				h.Host = part[2]
			case "PORT":
				port, err := strconv.Atoi(part[2])
				if err != nil {
					return a, fmt.Errorf("the connect descriptor has the port %q", part[2])
				}
				h.Port = port
			case "PROTOCOL":
				a.tls = a.tls || strings.EqualFold(part[2], "tcps")
			}
		}
		a.hosts = append(a.hosts, h)
	}
	for _, part := range descriptorPart.FindAllStringSubmatch(text, -1) {
		switch strings.ToUpper(part[1]) {
		case "SERVICE_NAME":
			a.service = part[2]
		case "SID":
			a.sid = part[2]
		}
	}
	switch {
	case len(a.hosts) == 0 || a.hosts[0].Host == "":
		return a, errors.New("the connect descriptor has no ADDRESS with a HOST")
	case a.service == "" && a.sid == "":
		return a, errors.New("the connect descriptor has neither SERVICE_NAME nor SID")
	}
	return a, nil
}

// descriptorOf returns the descriptor of a name in the text of a tnsnames.ora. It ignores case. A
// name without a domain also finds an entry with a domain, if there is only one such entry.
func descriptorOf(file, name string) (string, bool) {
	var text strings.Builder
	for line := range strings.Lines(file) {
		line, _, _ = strings.Cut(line, "#")
		text.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	var withDomain []string
	for rest := text.String(); ; {
		begin := strings.IndexByte(rest, '(')
		if begin < 0 {
			break
		}
		names, _, _ := strings.Cut(strings.TrimSpace(rest[:begin]), "=")
		length := balanced(rest[begin:])
		descriptor := rest[begin : begin+length]
		rest = rest[begin+length:]
		for one := range strings.SplitSeq(names, ",") {
			one = strings.TrimSpace(one)
			if strings.EqualFold(one, name) {
				return descriptor, true
			}
			if first, _, has := strings.Cut(one, "."); has && strings.EqualFold(first, name) {
				withDomain = append(withDomain, descriptor)
			}
		}
	}
	if len(withDomain) == 1 {
		return withDomain[0], true
	}
	return "", false
}

// balanced returns the length of the bracketed text at the beginning of a text, or the whole length
// if the brackets are never closed.
func balanced(text string) int {
	depth := 0
	for i, c := range []byte(text) {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// target is Options.Target.
func target(options any) string {
	o := options.(settings)
	at, err := o.at().address()
	if err != nil {
		return fmt.Sprintf("%s on %s", o.own().User, o.at().Instance)
	}
	return fmt.Sprintf("%s on %v", o.own().User, at)
}

// fromURL is Options.FromURL: oracle://user:password@host:port/service. If the user is one of the
// server's own, such as SYSTEM, it becomes the system user, which creates the owner of the schema.
// Parameters after a question mark are options, by their names.
func fromURL(u *url.URL) (option.Values, error) {
	values, service, err := database.URLOptions(u, nil)
	if err == nil && service != "" {
		values["service"] = service
	}
	if user := values["user"]; isServersOwn(user) { // it cannot own a schema, but it may create the owner
		values["system_user"] = user
		delete(values, "user")
		if password, given := values["password"]; given {
			values["system_password"] = password
			delete(values, "password")
		}
	}
	return values, err
}

// clientSettings is Options.Client. It reads the environment variables of Oracle's own
// programs. tnsnames.ora itself is read when it is needed.
func clientSettings(from database.Surroundings, _ database.Use, given option.Values) ([]database.ClientSetting, []string, error) {
	var found []database.ClientSetting
	for _, v := range []struct{ variable, option string }{{"TNS_ADMIN", "tns_admin"}, {"TWO_TASK", "instance"}} {
		value := from.Variable(v.variable)
		_, is := given[v.option]
		_, host := given["host"]
		if value != "" && !is && (v.option != "instance" || !host) {
			found = append(found, database.ClientSetting{Option: v.option, Value: value, Origin: v.variable})
		}
	}
	return found, nil, nil
}
