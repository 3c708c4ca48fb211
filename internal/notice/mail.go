package notice

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"sledge/internal/document"
)

// send sends a notice as plain text.
func (e Email) send(ctx context.Context, c *Config, id string, notice document.Notice) error {
	m := mail.NewMsg()
	if err := m.From(e.From); err != nil {
		return err
	}
	if err := m.To(e.To...); err != nil {
		return err
	}
	m.Subject("Sledge: " + notice.Title)
	m.SetDateWithValue(c.Now())
	m.SetMessageIDWithValue(id + "@sledge") // the same for each try, so that mail programs recognize a repetition
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(mail.TypeTextPlain, textOf(notice))

	config := &tls.Config{ServerName: e.Host, RootCAs: c.roots, MinVersion: tls.VersionTLS12}
	policy, dial := mail.TLSMandatory, new(net.Dialer).DialContext
	switch e.Security {
	case TLS:
		// With a dialer of ours, this policy makes the library recognize a connection that begins with TLS.
		policy, dial = mail.TLSOpportunistic, (&tls.Dialer{Config: config}).DialContext
	case NoTLS:
		policy = mail.NoTLS
	}
	options := []mail.Option{
		mail.WithPort(e.Port), mail.WithTimeout(c.limit), mail.WithTLSPolicy(policy), mail.WithTLSConfig(config),
		// The library begins its own time limit again with each command.
		mail.WithDialContextFunc(func(within context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(within, network, address)
			if err == nil {
				context.AfterFunc(ctx, func() { conn.Close() })
			}
			return conn, err
		}),
	}
	if e.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(e.User), mail.WithPassword(e.Password))
	}
	client, err := mail.NewClient(e.Host, options...)
	if err != nil {
		return err
	}
	if err := client.DialAndSendWithContext(ctx, m); err != nil {
		if ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("it did not accept the message within %s", c.limit)
		}
		return err
	}
	return nil
}

// textOf returns the text of an e-mail.
func textOf(notice document.Notice) string {
	var b strings.Builder
	b.WriteString(notice.Title + "\n\n")
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name+":", value)
		}
	}
	if j := notice.Job; j != nil {
		line("Verdict", j.Verdict)
		line("Reason", j.Reason)
		line("Headline", j.Headline)
		if j.Users > 0 {
			line("Users", fmt.Sprint(j.Users))
		}
		for _, name := range slices.Sorted(maps.Keys(j.Labels)) {
			line("Label", name+"="+j.Labels[name])
		}
		line("Began", j.Begun.Format(time.DateTime)+" UTC")
		line("Ended", j.Ended.Format(time.DateTime)+" UTC")
		line("Job", string(j.ID))
	}
	if notice.Link != "" {
		b.WriteString("\n" + notice.Link + "\n")
	}
	return b.String()
}
