package site

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/privatefile"
	"sledge/internal/web"
)

// WebFlags are the flags of web.
type WebFlags struct {
	repository       string
	config           string
	listen           string
	certificate, key string
	selfSigned       bool
	readOnly         bool
	scripts          *bool // nil allows scripts if other machines cannot reach the server
	basePath         string
	otlp             string
	hostnames        []string
	proxies          []string
}

const webHelp = `Web serves the web application on this machine, and prints a link that logs you in once. In the
browser you set up tests, build and check schemas, start and watch runs, compare results, and write
reports and scripts. Programs use the API, which is documented at /api/v1/docs.

The link gives the role own. For several people, add users: each has a name, a password and a role.
A user with the role look can see results and change nothing. A user with the role act can also
start, stop and delete. A user with the role own can also set up notices and revoke what others
share. Once there are users, there is no link. Programs log in with a token, which they send as
Authorization: Bearer TOKEN.

Other machines cannot reach 127.0.0.1. On another address, web starts only with TLS and a user. To
reach it from another machine without either: ssh -L 8080:127.0.0.1:8080 HOST

Users, logins and an audit log are saved beside the job repository, in web-users.json,
web-sessions.json and web-audit.jsonl. Only you can read them.

Ctrl-C ends the server. First it stops the jobs and scripts that it started, as Ctrl-C stops a
command, and keeps their results. The next Ctrl-C aborts them.`

// WebCommand returns "sledge web", the web application.
func WebCommand(p *program.Program) *cobra.Command {
	var f WebFlags
	c := &cobra.Command{
		Use:   "web [flags]",
		Short: "Serve the web application and its API",
		Long:  webHelp,
		Example: program.Examples(
			"sledge web",
			"sledge web --read-only                       # for a screen on the wall",
			"sledge web user add ann --role act           # asks for a password",
			"sledge web --listen :8443 --tls-self-signed  # other machines can reach it",
			"sledge web --base-path /sledge --trusted-proxy 127.0.0.1 \\",
			"  --hostname tests.example.org",
		),
		GroupID: program.GroupOthers,
		Args:    program.OnlyCommands,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return serveWeb(ctx, p, f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "`address` and port to listen on; port 0 chooses a free port")
	flags.StringVar(&f.certificate, "tls-cert", "", "serve TLS with the certificate chain in this PEM `file`")
	flags.StringVar(&f.key, "tls-key", "", "PEM `file` of the certificate's key")
	flags.BoolVar(&f.selfSigned, "tls-self-signed", false, "serve TLS with a certificate that Sledge generates and saves, and print its fingerprint")
	flags.BoolVar(&f.readOnly, "read-only", false, "give every user the role look")
	flags.BoolFunc("scripts", "allow users with the role act to run scripts and the console, which can do everything that you can do on this machine; --scripts=false forbids it (default: allowed only if other machines cannot reach the server)", f.setScripts)
	flags.StringVar(&f.basePath, "base-path", "", "`path` under which a reverse proxy serves the pages, such as /sledge")
	flags.StringArrayVar(&f.proxies, "trusted-proxy", nil, "`address` or network of a reverse proxy whose X-Forwarded headers to trust; repeat as needed")
	flags.StringArrayVar(&f.hostnames, "hostname", nil, "`name` by which browsers reach the server, if it is not this machine's name; repeat as needed")
	flags.StringVar(&f.otlp, "otlp", "", "send metrics of the runs that the server starts to the OpenTelemetry collector at this `URL`, such as http://127.0.0.1:4318 (default: the variables OTEL_EXPORTER_OTLP_*)")
	flags.StringVar(&f.config, "config", "", "configuration `file` (.toml, .yaml) for the jobs that the server starts")
	c.PersistentFlags().StringVar(&f.repository, "repo", "", "`file` of the job repository, beside which users and logins are saved")
	c.AddCommand(webUserCommand(p, &f.repository))
	return c
}

// serveWeb serves until Ctrl-C.
func serveWeb(ctx context.Context, p *program.Program, f WebFlags) (err error) {
	folder, err := webFolder(p, f.repository)
	if err != nil {
		return err
	}
	config := web.Config{Folder: folder, ReadOnly: f.readOnly, BasePath: f.basePath, Hostnames: f.hostnames}
	if err := web.CheckBasePath(f.basePath); err != nil {
		return program.Usage("--base-path: %w", err)
	}
	if config.Proxies, err = proxies(f.proxies); err != nil {
		return err
	}
	address, err := net.ResolveTCPAddr("tcp", f.listen)
	if err != nil {
		return program.Usage("--listen %s: give an address and a port, such as 127.0.0.1:8080 (%w)", f.listen, err)
	}
	if err := f.checkTLS(); err != nil {
		return err
	}
	if err := f.checkReach(address, folder); err != nil {
		return err
	}
	if config.Listener, err = program.Listen(address); err != nil {
		return program.Usage("--listen %s: %w", f.listen, err)
	}
	defer config.Listener.Close()
	if privatefile.Exposed(f.key) {
		fmt.Fprintf(p.Stderr, "warning: others can read the private key %s: chmod 600 %s\n", f.key, f.key)
	}
	if config.TLS, err = f.tls(address, folder); err != nil {
		return err
	}
	store, err := p.OpenRepository(f.repository)
	if err != nil {
		return err
	}
	otlp, err := p.OTLP(f.otlp)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	served, err := openSite(p, config, store, f.config, f.scripts, otlp)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served.Close()) }()
	if err := Introduce(p, served, f); err != nil {
		return err
	}
	if !f.readOnly {
		served.Verbs.Schedule()
	}
	defer p.Interrupts.Instead(func(int) { served.Quit() })()
	if err := served.Serve(ctx); err != nil {
		return err
	}
	fmt.Fprintln(p.Stderr, "The server has ended. Jobs of other commands continue.")
	return nil
}

// setScripts sets the flag --scripts.
func (f *WebFlags) setScripts(text string) error {
	may, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("give true or false")
	}
	f.scripts = &may
	return nil
}

// Introduce prints the server's address and how to log in. The link is not folded, because a folded
// link cannot be opened.
func Introduce(p *program.Program, s *Site, f WebFlags) error {
	if s.TLS != nil && f.selfSigned {
		pairs := web.Fingerprint(s.TLS)
		half := len(pairs) / 2
		fmt.Fprintf(p.Stderr, "Compare the certificate's SHA-256 fingerprint with the one that the browser shows:\n  %s\n  %s\n", pairs[:half+1], pairs[half+1:])
	}
	if s.Pages == nil {
		fmt.Fprintln(p.Stderr, "This program was built without the pages: "+web.HowToGetPages)
	}
	if s.HasLink() {
		fmt.Fprintln(p.Stderr, "Open this link, which logs you in once. Ctrl-C ends the server.")
	} else {
		fmt.Fprintln(p.Stderr, "Open this address, and log in as a user. Ctrl-C ends the server.")
	}
	_, err := fmt.Fprintln(p.Whole, s.URL())
	return err
}

// webFolder returns the folder of the web application's files, which is that of the job repository.
func webFolder(p *program.Program, repository string) (string, error) {
	path, err := p.Repository(repository)
	if err != nil {
		return "", err
	}
	if path == ":memory:" {
		return "", program.Usage("users and logins are saved beside the job repository, but :memory: is not a file: choose a file with --repo or SLEDGE_REPO")
	}
	path, err = filepath.Abs(path)
	return filepath.Dir(path), err
}

// proxies parses addresses and networks.
func proxies(texts []string) (all []netip.Prefix, err error) {
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, wrong := netip.ParseAddr(text)
			if wrong != nil {
				return nil, program.Usage("--trusted-proxy %s: give an address, such as 127.0.0.1, or a network, such as 10.1.2.0/24", text)
			}
			prefix = netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen())
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

func (f WebFlags) checkTLS() error {
	switch {
	case f.selfSigned && (f.certificate != "" || f.key != ""):
		return program.Usage("--tls-self-signed and --tls-cert exclude each other: leave one out")
	case (f.certificate == "") != (f.key == ""):
		return program.Usage("--tls-cert and --tls-key belong together: give both")
	}
	return nil
}

// checkReach returns an error if other machines can reach the server without TLS or without a
// password.
func (f WebFlags) checkReach(address *net.TCPAddr, folder string) error {
	reachable := web.Reachable(address)
	if !reachable && len(f.proxies) == 0 {
		return nil
	}
	users, err := web.UsersIn(folder).List()
	if err != nil {
		return err
	}
	hasTLS := f.selfSigned || f.certificate != ""
	if len(users) > 0 && (hasTLS || !reachable) {
		return nil
	}
	if !reachable {
		return program.Usage("--trusted-proxy lets other machines reach the server, and there is no user yet: add one with sledge web user add NAME --role act")
	}
	var missing []string
	if !hasTLS {
		missing = append(missing, "TLS (add --tls-self-signed, or --tls-cert and --tls-key)")
	}
	if len(users) == 0 {
		missing = append(missing, "a user with a password (sledge web user add NAME --role act)")
	}
	return program.Usage("--listen %s: other machines can reach this address, so the server needs %s. Or leave out --listen, and reach 127.0.0.1:8080 by ssh -L 8080:127.0.0.1:8080 HOST",
		f.listen, strings.Join(missing, " and "))
}

func (f WebFlags) tls(address *net.TCPAddr, folder string) (*tls.Config, error) {
	switch {
	case f.certificate != "":
		config, err := web.Certificate(f.certificate, f.key)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, job.WithExit(job.ExitMissing, err)
		}
		return config, job.WithExit(job.ExitUsage, err)
	case f.selfSigned:
		names, err := web.NamesOf(address, f.hostnames)
		if err != nil {
			return nil, err
		}
		return web.SelfSigned(folder, names)
	}
	return nil, nil
}
