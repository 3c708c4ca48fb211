package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// origin sets the client's address of a visit, and returns the host name of the request. It refuses
// host names that are not this server's, because another site could make its name point to this
// machine (DNS rebinding).
func (s *Server) origin(r *http.Request, v *visit) (host string, err error) {
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		v.address = peer.Addr().Unmap()
	}
	v.secure = r.TLS != nil
	host = r.Host
	if err := s.checkHost(host); err != nil {
		return "", err
	}
	if !s.isProxy(v.address) {
		return host, nil
	}
	if proto := last(r.Header.Values("X-Forwarded-Proto")); proto != "" {
		v.secure = strings.EqualFold(proto, "https")
	}
	if name := last(r.Header.Values("X-Forwarded-Host")); name != "" {
		if err := s.checkHost(name); err != nil {
			return "", err
		}
		host = name
	}
	// Each proxy appends the address of its client. Addresses before the last one that is not a
	// trusted proxy may be forged.
	for _, text := range slices.Backward(list(r.Header.Values("X-Forwarded-For"))) {
		address, err := netip.ParseAddr(text)
		if err != nil {
			break
		}
		v.address = address.Unmap()
		if !s.isProxy(v.address) {
			break
		}
	}
	return host, nil
}

func (s *Server) isProxy(address netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// checkHost refuses a host name that is not this server's. IP addresses pass, because DNS cannot
// rebind them.
func (s *Server) checkHost(host string) error {
	name := bareHost(host)
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" {
		return nil
	}
	if slices.ContainsFunc(s.Hostnames, func(own string) bool { return strings.EqualFold(own, name) }) {
		return nil
	}
	if address, ok := s.Listener.Addr().(*net.TCPAddr); ok && Reachable(address) && len(s.Hostnames) == 0 {
		return nil
	}
	return fmt.Errorf("this server does not know the name %q: if it is one of its names, start it with --hostname %[1]s", name)
}

// bareHost returns a host in lower case without its port and brackets.
func bareHost(host string) string {
	if without, _, err := net.SplitHostPort(host); err == nil {
		host = without
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// list splits the values of a header at commas.
func list(values []string) (all []string) {
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}
	}
	return all
}

// last returns the last value of a header, which the nearest proxy has written.
func last(values []string) string {
	all := list(values)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
