package sqlserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"sledge/internal/database"
)

// secretFiles is Options.SecretFiles.
func secretFiles(options any) []string {
	if l := options.(settings).common(); l.authentication() == byEntra && l.TokenFile != "" {
		return []string{l.TokenFile}
	}
	return nil
}

// token returns an access token of Microsoft Entra ID for Azure SQL: from a file, or for the
// machine's managed identity.
func (l login) token(ctx context.Context) (string, error) {
	if l.TokenFile == "" {
		return l.managedToken(ctx)
	}
	text, err := os.ReadFile(l.TokenFile)
	if err != nil {
		return "", &database.ConnectError{Text: fmt.Sprintf("read the access token: %v: check option %s", err, l.Name("token_file")), Err: err}
	}
	token := strings.TrimSpace(string(text))
	if strings.HasPrefix(token, "{") { // the default output of az
		var printed struct {
			AccessToken string `json:"accessToken"`
		}
		if err := json.Unmarshal(text, &printed); err != nil {
			return "", &database.ConnectError{Text: fmt.Sprintf("read the access token: the JSON in %s is invalid", l.TokenFile), Err: err}
		}
		token = printed.AccessToken
	}
	if token == "" || strings.ContainsAny(token, " \n") {
		return "", &database.ConnectError{Text: fmt.Sprintf("read the access token: %s contains no token: check option %s", l.TokenFile, l.Name("token_file")), Err: os.ErrInvalid}
	}
	return token, nil
}

// metadataService is the address from which a machine on Azure gets tokens. Tests replace it.
var metadataService = "http://169.254.169.254"

// managedToken requests a token for the identity with the object ID from the machine's metadata
// service:
// https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token.
func (l login) managedToken(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	query := url.Values{"api-version": {"2018-02-01"}, "resource": {"https://database.windows.net/"}, "object_id": {l.managed()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, metadataService+"/metadata/identity/oauth2/token?"+query.Encode(), nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Metadata", "true")
	client := http.Client{Transport: new(http.Transport)} // without a proxy, because a proxy could not reach the service
	defer client.CloseIdleConnections()
	const what = "get a token of the managed identity"
	answer, err := client.Do(request)
	if err != nil {
		return "", &database.ConnectError{Text: what + ": Azure's metadata service does not respond. Only machines on Azure have it: elsewhere, set option " + l.Name("token_file"), Err: err}
	}
	defer answer.Body.Close()
	var given struct {
		AccessToken string `json:"access_token"`
		Description string `json:"error_description"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&given); err != nil || given.AccessToken == "" {
		return "", &database.ConnectError{Text: fmt.Sprintf("%s: the metadata service answers %s: %s: check option %s", what, answer.Status, given.Description, l.Name("msi_object_id")), Err: os.ErrPermission}
	}
	return given.AccessToken, nil
}
