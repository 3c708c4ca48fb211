// Command run starts a run on SQLite, follows it, and prints its series, with a client that
// openapi-generator has generated:
//
//	SLEDGE_URL=http://127.0.0.1:8080/api/v1 SLEDGE_TOKEN=... go run . FILE
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"example/client"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file string) error {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("SLEDGE_URL")}}
	api := client.NewAPIClient(configuration)
	ctx = context.WithValue(ctx, client.ContextAccessToken, os.Getenv("SLEDGE_TOKEN"))

	settings := map[string]any{"db": "sqlite", "dbname": file, "users": 2, "rampup": 0, "duration": "2s"}
	start := client.NewApiStart("run", settings)
	start.Labels = map[string]string{"client": "Go"}
	begun, _, err := api.SettingsAndActionsAPI.StartJob(ctx).ApiStart(*start).Execute()
	if err != nil {
		return err
	}
	seconds := 0
	over, err := follow(ctx, begun.GetId(), func(e client.ApiEvent) {
		if e.Second != nil {
			seconds++
		}
	})
	if err != nil {
		return err
	}
	series, _, err := api.JobsAPI.ShowSeries(ctx, over.GetId()).Points(100).Execute()
	if err != nil {
		return err
	}
	most := 0.0
	for _, point := range series.Points {
		most = max(most, float64(point.GetClientTpm()))
	}
	fmt.Printf("%s %s: %d seconds, %d points, at most %.0f TPM\n", over.GetId(), over.Status, seconds, len(series.Points), most)
	return nil
}

// follow passes on the events of a job as they come, and returns the job when it has ended. The
// generated WatchJob returns the whole stream at its end instead.
func follow(ctx context.Context, id string, each func(client.ApiEvent)) (over client.ReportDocument, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("SLEDGE_URL")+"/jobs/"+id+"/events", nil)
	if err != nil {
		return over, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SLEDGE_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return over, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	name := ""
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "event":
			name = value
		case field == "data" && name == "over":
			return over, json.Unmarshal([]byte(value), &over)
		case field == "data":
			var e client.ApiEvent
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				return over, err
			}
			each(e)
		}
	}
	return over, errors.Join(errors.New("the server ended the stream before the job had ended"), lines.Err())
}
