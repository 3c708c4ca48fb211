package bundle

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/job"
)

// mask replaces the names and addresses of machines in texts, the same by the same in all of them. Names
// are replaced as they were given, because in another case they may be a product (Db2). Names of any
// machine for itself, such as localhost, say nothing about it and stay.
type mask struct {
	known     map[string]string // by name or address
	machines  map[string]bool   // names that are also keys of JSON objects
	keep      []string          // texts that look like addresses: versions
	names     *regexp.Regexp    // matches the names; nil without a name
	addresses int
}

var (
	// address matches what may be an IP address, with a port or the length of its network's part.
	address = regexp.MustCompile(`(?i)(\b\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})\b([:/]\d)?`)

	// withPort matches the target of a job if it is a server with a port.
	withPort = regexp.MustCompile(`^([^\s:/\[]+):\d+`)
)

// newMask returns the mask for jobs. Without jobs it hides nothing.
func newMask(jobs []job.Job) *mask {
	if jobs == nil {
		return nil
	}
	m := &mask{known: map[string]string{}, machines: map[string]bool{}}
	for _, j := range jobs {
		m.add(j.Host)
		for name, value := range j.Spec.Options {
			if isHost(name) {
				m.addServers(value)
			}
		}
		for _, a := range j.Result.Agents {
			m.add(a.Name)
			m.machines[a.Name] = true
		}
		f := j.Facts
		if f == nil {
			continue
		}
		m.keep = append(m.keep, f.Server, f.SledgeVersion)
		m.add(f.Host.Name)
		if found := withPort.FindStringSubmatch(f.Target); found != nil {
			m.add(found[1])
		}
		for name, machine := range f.Machines {
			m.add(name)
			m.machines[name] = true
			m.add(machine.Name)
		}
		for name, value := range f.ServerSettings {
			if isHost(name) {
				m.addServers(value)
			}
		}
	}
	if len(m.known) == 0 {
		return m
	}
	var patterns []string
	for name := range m.known {
		patterns = append(patterns, regexp.QuoteMeta(name))
	}
	slices.SortFunc(patterns, func(a, b string) int { return len(b) - len(a) }) // db1.example before db1
	m.names = regexp.MustCompile(`(` + strings.Join(patterns, "|") + `)`)
	return m
}

// isHost reports whether an option, or a setting of a server, names a machine.
func isHost(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "host") || strings.HasSuffix(name, "hostname") || strings.HasSuffix(name, "instance")
}

// addServers adds the machines of a list of servers, which may have ports.
func (m *mask) addServers(list string) {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if strings.Count(one, ":") == 1 {
			one, _, _ = strings.Cut(one, ":")
		}
		one, _, _ = strings.Cut(one, `\`)
		m.add(strings.Trim(one, "[]"))
	}
}

func (m *mask) add(name string) {
	if strings.ContainsAny(name, `/ "`) || isOwn(strings.ToLower(name)) { // a socket's folder is not a machine
		return
	}
	if _, has := m.known[name]; !has {
		m.known[name] = fmt.Sprintf("machine%d", len(m.known)+1)
	}
}

// isOwn reports whether a name is that of any machine for itself.
func isOwn(name string) bool {
	if a, err := netip.ParseAddr(name); err == nil {
		return a.IsLoopback() || a.IsUnspecified()
	}
	return slices.Contains([]string{"", "*", ".", "(local)", "localhost", "localhost.localdomain", job.ClientMachine}, name)
}

// plain hides names in a text.
func (m *mask) plain(text []byte) []byte {
	if m == nil {
		return text
	}
	if m.names != nil {
		text = m.replaceNames(text)
	}
	var out bytes.Buffer
	last := 0
	for _, at := range address.FindAllSubmatchIndex(text, -1) {
		a, err := netip.ParseAddr(string(text[at[2]:at[3]]))
		if err != nil || isOwn(a.String()) {
			continue
		}
		as, known := m.known[a.String()]
		if !known {
			if hasMore := at[4] >= 0; !hasMore && m.isNumbering(a) {
				continue
			}
			m.addresses++
			as = fmt.Sprintf("address%d", m.addresses)
			m.known[a.String()] = as
		}
		out.Write(text[last:at[2]])
		out.WriteString(as)
		last = at[3]
	}
	out.Write(text[last:])
	return out.Bytes()
}

// isNumbering reports whether what could be an address is the number of a clause (TPC-C 5.2.5.3) or of a
// version.
func (m *mask) isNumbering(a netip.Addr) bool {
	const firstPrivate = 10 // the first byte of 10.0.0.0/8; networks below are seldom seen in logs
	return a.Is4() && a.As4()[0] < firstPrivate || m.isVersion(a.String())
}

func (m *mask) isVersion(text string) bool {
	return slices.ContainsFunc(m.keep, func(version string) bool { return strings.Contains(version, text) })
}

// replaceNames replaces names that are whole words.
func (m *mask) replaceNames(text []byte) []byte {
	found := m.names.FindAllIndex(text, -1)
	if found == nil {
		return text
	}
	var out bytes.Buffer
	last := 0
	for _, at := range found {
		if at[0] > 0 && isNameByte(text[at[0]-1]) || at[1] < len(text) && isNameByte(text[at[1]]) {
			continue
		}
		out.Write(text[last:at[0]])
		out.WriteString(m.known[string(text[at[0]:at[1]])])
		last = at[1]
	}
	out.Write(text[last:])
	return out.Bytes()
}

func isNameByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b == '_' || b >= 0x80
}

// jsonString matches a string of JSON, with the colon after it if it is a key.
var jsonString = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"(\s*:)?`)

// json hides names in the strings of a JSON text. Keys are hidden if they are names of machines.
func (m *mask) json(text []byte) []byte {
	if m == nil {
		return text
	}
	return jsonString.ReplaceAllFunc(text, func(found []byte) []byte {
		end := bytes.LastIndexByte(found, '"')
		inner, rest := found[1:end], found[end:]
		switch isKey := len(rest) > 1; {
		case isKey && !m.machines[string(inner)], isHistogram(inner):
			return found
		}
		return slices.Concat([]byte{'"'}, m.plain(inner), rest)
	})
}

// isHistogram reports whether a text is an encoded histogram, in which a name would be chance.
func isHistogram(text []byte) bool {
	const shortest = 8
	if len(text) < shortest || text[0] != 'H' && text[0] != 'U' { // 0x1c and 0x53 in base64
		return false
	}
	_, err := base64.StdEncoding.DecodeString(string(text))
	return err == nil
}

// maskWriter hides names in lines of JSON.
type maskWriter struct {
	mask *mask
	to   io.Writer
	line []byte // not ended yet
}

func (m *mask) writer(to io.Writer) *maskWriter { return &maskWriter{mask: m, to: to} }

// Write implements io.Writer.
func (w *maskWriter) Write(text []byte) (int, error) {
	w.line = append(w.line, text...)
	end := bytes.LastIndexByte(w.line, '\n') + 1
	if end == 0 {
		return len(text), nil
	}
	_, err := w.to.Write(w.mask.json(w.line[:end]))
	w.line = slices.Clone(w.line[end:])
	return len(text), err
}

func (w *maskWriter) close() error {
	_, err := w.to.Write(w.mask.json(w.line))
	return err
}
