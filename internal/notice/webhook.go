package notice

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"sledge/internal/document"
)

// send sends a notice, signed as Standard Webhooks describes it. It ignores proxies of the
// environment, follows no redirect, and does not read the body of the response.
func (w Webhook) send(ctx context.Context, c *Config, id string, notice document.Notice) error {
	key, err := w.key()
	if err != nil {
		return err
	}
	body, err := json.Marshal(notice)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return withoutURL(err, c.limit)
	}
	at := strconv.FormatInt(c.Now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Sledge")
	request.Header.Set("Webhook-Id", id)
	request.Header.Set("Webhook-Timestamp", at)
	request.Header.Set("Webhook-Signature", "v1,"+sign(key, id, at, body))
	client := &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: c.roots, MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return withoutURL(err, c.limit)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode >= 200 && response.StatusCode < 300:
		return nil
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return fmt.Errorf("it answered %d, which redirects to another address: give that address", response.StatusCode)
	}
	return fmt.Errorf("it answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
}

// sign returns the signature of a request as base64.
func sign(key []byte, id, at string, body []byte) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "%s.%s.%s", id, at, body)
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// withoutURL removes the address from an error, because it may be a secret.
func withoutURL(err error, limit time.Duration) error {
	if of, is := errors.AsType[*url.Error](err); is {
		err = of.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it did not answer within %s", limit)
	}
	return err
}
