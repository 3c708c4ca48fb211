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

// token returns an access token of Microsoft Entra ID for Azure SQL: from a file, or of the
// managed identity of the machine.
func (l login) token(ctx context.Context) (string, error) {
	if l.TokenFile == "" {
		return l.managedToken(ctx)
	}
	text, err := os.ReadFile(l.TokenFile)
	if err != nil {
		return "", &database.ConnectError{Text: fmt.Sprintf("read the access token: %v: check option %s", err, l.Name("token_file")), Err: err}
	}
	token := strings.TrimSpace(string(text))
	if strings.HasPrefix(token, "{") { // as az prints it by default
		var printed struct {
			AccessToken string `json:"accessToken"`
		}
		if err := json.Unmarshal(text, &printed); err != nil {
			return "", &database.ConnectError{Text: fmt.Sprintf("read the access token: the JSON in %s is broken", l.TokenFile), Err: err}
		}
		token = printed.AccessToken
	}
	if token == "" || strings.ContainsAny(token, " \n") {
		return "", &database.ConnectError{Text: fmt.Sprintf("read the access token: %s holds none: check option %s", l.TokenFile, l.Name("token_file")), Err: os.ErrInvalid}
	}
	return token, nil
}

// metadataService is where a machine on Azure gets its tokens. Tests have another.
var metadataService = "http://169.254.169.254"

// managedToken asks the machine's metadata service, as
// https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
// says, for a token of the identity with the object ID.
func (l login) managedToken(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	query := url.Values{"api-version": {"2018-02-01"}, "resource": {"https://database.windows.net/"}, "object_id": {l.managed()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, metadataService+"/metadata/identity/oauth2/token?"+query.Encode(), nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Metadata", "true")
	client := http.Client{Transport: new(http.Transport)} // without a proxy, which could not reach it
	defer client.CloseIdleConnections()
	const what = "get a token of the managed identity"
	answer, err := client.Do(request)
	if err != nil {
		return "", &database.ConnectError{Text: what + ": nothing answers at Azure's metadata service, which only machines on Azure have: elsewhere, set option " + l.Name("token_file"), Err: err}
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
