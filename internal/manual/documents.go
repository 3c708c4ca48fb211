package manual

import (
	"time"

	"sledge/internal/bundle"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/selftest"
	"sledge/internal/settings"
	"sledge/internal/statistics"
)

// Document is a format of the JSON documents that commands print, or the web API alone.
type Document struct {
	Schema  string // its name
	From    string // the commands that print it, or the request
	Example any    // a value of the document's type
}

// Documents lists all formats that have a name.
func Documents() []Document {
	const id, other = job.ID("67FD3345479A03E263133333"), job.ID("67FD34B1479A03E263133334")
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	tpm, client, counted := 36400.0, 36381.0, int64(6067)
	one, many, ratio := 1.0, 46.2, 1.8
	fall, small := -5.4, 0.0002
	latency := &meter.Latency{Min: 1.05, Mean: 5.01, StdDev: 2.2, P25: 3.1, P50: 4.9, P75: 6.2, P90: 7.9, P95: 9.1, P99: 12.7, P999: 30.3, Max: 41.9}
	tooSmall := option.Names{}.Wrong("port", "0", "0 is less than 1")
	orders := report.Transaction{
		Kind: "new order", Done: 79120, SharePercent: 44.94, RolledBack: 801, Retries: 3, Response: latency, Service: latency,
		Traffic: &report.Traffic{RoundTrips: 79924, Sent: 15106000, Received: 10310000, RoundTripsEach: 1, SentEach: 189.005, ReceivedEach: 128.998},
	}
	all := orders
	all.Kind, all.SharePercent = "all", 100
	run := report.Document{
		Schema: report.Schema, ID: id, Action: job.Run, Database: "postgresql", Workload: "tprocc",
		Options: map[string]string{"warehouses": "10", "rampup": "2"}, Seed: 1,
		Labels: map[string]string{"ticket": "4711"}, Note: "after the upgrade",
		Begun: at, Ended: at.Add(7 * time.Minute),
		Result: job.Result{
			Status: job.Succeeded, Extent: job.Extent{Users: 16, Started: at.Add(2 * time.Minute), Elapsed: 300}, Line: "TEST RESULT : System achieved 15824 NOPM from 36400 PostgreSQL TPM",
			Metrics: []job.Metric{{Name: "NOPM", Value: 15824}, {Name: "TPM", Value: 36400}},
		},
	}
	whole := run
	whole.Transactions, whole.All = []report.Transaction{orders}, &all
	exported := whole
	exported.Schema = report.ExportSchema
	durable := true
	profile := report.Profile{Schema: report.ProfileSchema, Profile: 3, Runs: []report.Document{run}, Points: []report.ProfilePoint{{Users: 16, Runs: 1, Metrics: run.Metrics}}}
	later := profile
	later.Profile = 4
	second := report.Second{At: at.Add(2*time.Minute + time.Second), Moment: job.Moment{Phase: job.Measure, Offset: 1, ServerTPM: &tpm}, Elapsed: 1, Transactions: []report.SecondTransaction{}}
	return []Document{
		{report.Schema, "`sledge build`, `check`, `run` and `delete` with `--json`; `sledge jobs show ID --json`; `sledge jobs result ID --json`", whole},
		{report.ProfileSchema, "`sledge run --users 1,2,4 --json`; `sledge jobs profile NUMBER --json`", profile},
		{report.ProfileComparisonSchema, "`sledge jobs profile NUMBER NUMBER --json`", report.ProfileComparison{
			Schema: report.ProfileComparisonSchema, Profiles: []report.Profile{profile, later},
			Differences: []report.Difference{{Name: "server", Values: []string{"16.4", "17.1"}}},
		}},
		{document.BestSchema, "`sledge jobs best --json`", document.Best{Schema: document.BestSchema, Best: []report.BestRun{{
			ID: id, Begun: at, Database: "postgresql", Workload: "tprocc", Size: "10 warehouses", Durable: &durable, Users: 16,
			Server: "16.4", Target: "db1:5432/tpcc", Metric: run.Metrics[0], Of: 7,
		}}}},
		{report.ExportSchema, "`sledge jobs export ID`", document.Export{
			ExportHead: report.ExportHead{Document: exported, Output: []repository.OutputLine{}},
			Seconds:    []report.Second{second},
		}},
		{document.JobsSchema, "`sledge jobs --json`; `sledge jobs list --json`", document.Jobs{Schema: document.JobsSchema, Jobs: []report.Document{run}}},
		{document.ProfilesSchema, "`sledge jobs profile --json`", document.Profiles{
			Schema:   document.ProfilesSchema,
			Profiles: []document.ProfileHead{{Profile: 3, Runs: 4, Database: "postgresql", Begun: at, BestNOPM: 15824, Users: 16}},
		}},
		{report.ComparisonSchema, "`sledge jobs compare ID ID --json`", report.Comparison{
			Schema: report.ComparisonSchema,
			Runs: []report.ComparedRun{
				{ID: id, Begun: at, Database: "postgresql", Workload: "tprocc", Users: 16, Status: job.Succeeded, Elapsed: 300},
				{ID: other, Begun: at.Add(10 * time.Minute), Database: "postgresql", Workload: "tprocc", Users: 16, Status: job.Succeeded, Elapsed: 300},
			},
			Differences: []report.Difference{{Name: "client_sql", Option: true, Values: []string{"false", "true"}}},
			Figures: []report.SharedFigure{{
				Name: "round trips", Kind: "new order", Unit: "a transaction", Values: []*float64{&one, &many}, Ratios: []*float64{&one, &many},
			}},
		}},
		{report.SetupComparisonSchema, "`sledge compare A B --json`", report.SetupComparison{
			Schema: report.SetupComparisonSchema, Verdict: statistics.Better, InTurns: true,
			Setups:      [2]report.Setup{{Name: "set=a", Runs: []job.ID{id}}, {Name: "set=b", Runs: []job.ID{other}}},
			Differences: []report.Difference{{Name: "client_sql", Option: true, Values: []string{"true", "false"}}},
			Figures: []report.SetupFigure{{
				Name: "NOPM", Tested: true,
				A: &statistics.Summary{Runs: 8, Least: 15310, Most: 15940, Median: 15672, Quartile1: 15560, Quartile3: 15803},
				B: &statistics.Summary{Runs: 8, Least: 16120, Most: 16770, Median: 16450, Quartile1: 16290, Quartile3: 16611},
				Change: &statistics.Comparison{
					Paired: true, RunsA: 8, RunsB: 8, Ratio: 1.05, Interval: &statistics.Interval{Low: 1.031, High: 1.068}, Confidence: 0.95,
					P: 0.0078, Delta: statistics.DefaultDelta, Verdict: statistics.Better, AtLeast: true,
				},
			}},
			Caveats: []string{"1 run of A is left out: 67FD36544802: it is failed"},
		}},
		{report.HistorySchema, "`sledge history NAME --json`", report.History{
			Schema: report.HistorySchema, Name: "suite=nightly", Figure: "NOPM",
			Runs: []report.HistoryRun{{ID: id, Begun: at, Value: 15824}, {ID: other, Begun: at.Add(24 * time.Hour), Value: 14910}},
			Levels: []report.HistoryLevel{
				{First: id, Begun: at, Runs: 12, Mean: 15790},
				{First: other, Begun: at.Add(12 * 24 * time.Hour), Runs: 5, Mean: 14930, Change: &fall, P: &small, Worse: true, Differences: []report.Difference{{Name: "label commit", Values: []string{"1f0c", "9ab2"}}}},
			},
			Left: []report.LeftOut{{ID: id, Why: "it is failed"}}, Open: 1, Caveats: []string{"The runs have different numbers of virtual users (8, 16), which change figures, too."},
		}},
		{report.CapacitySchema, "`sledge capacity --p99 50ms --json`", report.Capacity{
			Schema: report.CapacitySchema, Promise: "p99>50ms,failed>0.1%", Capacity: &many, Maximum: 120, Recovers: &durable,
			Probes: []report.CapacityProbe{{Job: id, Stage: "search", Rate: 60, Ended: 60.2, P99: &one, Kept: true}},
			Curve:  []report.PromisedRate{{P99: 10, Rate: 60}},
		}},
		{report.ExperimentSchema, "`sledge experiment run PLAN --json`; `sledge experiment show PLAN --json`", report.Experiment{
			Schema: report.ExperimentSchema, Name: "scaling", Figure: "NOPM", Factors: []string{"users"},
			Cells: []report.ExperimentCell{
				{Values: []string{"4"}, Runs: []job.ID{id}, Result: &statistics.Summary{Runs: 1, Least: 9120, Most: 9120, Median: 9120, Quartile1: 9120, Quartile3: 9120}, P99: &one},
				{Values: []string{"8"}, Runs: []job.ID{other}, Failed: 1},
			},
			Effects: []report.Effect{{Factor: "users", Value: "16", Base: "4", Ratio: ratio, Least: &ratio, Most: &ratio, Pairs: 1}},
		}},
		{document.ExperimentsSchema, "`sledge experiment list --json`", document.Experiments{
			Schema: document.ExperimentsSchema, Experiments: []repository.ExperimentHead{{Name: "scaling", Runs: 18, Cells: 6, Failed: 1, Begun: at, Last: at.Add(time.Hour)}},
		}},
		{report.TrialSchema, "`sledge experiment try PLAN`, in one line for each line of its input", report.Trial{
			Schema: report.TrialSchema, Figure: "NOPM", Factors: []string{"users", "server.work_mem"},
			ExperimentCell: report.ExperimentCell{
				Values: []string{"4", "24MB"}, Runs: []job.ID{id}, P99: &one,
				Result: &statistics.Summary{Runs: 1, Least: 9120, Most: 9120, Median: 9120, Quartile1: 9120, Quartile3: 9120},
			},
		}},
		{bundle.Schema, "the member bundle.json of the file that `sledge bundle NAME` writes", bundle.Manifest{
			Schema: bundle.Schema, Made: at.Add(time.Hour), MadeBy: "v1.0.0", Hidden: true,
			Jobs: []job.Job{{
				ID: id, Spec: job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Options: option.Values{"rampup": "2"}, Users: 16, Seed: 1},
				Kinds: []string{"new order"}, Status: job.Succeeded, Begun: at, Ended: at.Add(7 * time.Minute), Result: run.Result, Host: "machine1",
			}},
		}},
		{bundle.VerificationSchema, "`sledge verify FILE --json`", bundle.Verification{
			Schema: bundle.VerificationSchema, File: "67FD3345479A.sledge.zip", Made: at.Add(time.Hour), MadeBy: "v1.0.0",
			Changed: []bundle.Fault{{Where: string(id) + ".json", Why: "it was changed: its checksum is another one", Stated: "9a95…", Actual: "52c1…"}},
			Signed:  &bundle.SignedBy{Key: "ssh-ed25519", Fingerprint: "SHA256:Wk3g…", Holds: true, Name: "ann@example.org"},
			Runs: []bundle.VerifiedRun{{
				ID: id, Begun: at, Database: "postgresql", Workload: "tprocc", Action: job.Run, Metrics: run.Metrics, Recomputed: 1179, Measured: 110,
				Wrong: []bundle.Fault{{Where: string(id) + ".json: metrics.0.value", Why: "NOPM does not follow from the counts and times", Stated: "15824", Actual: "14200"}},
			}},
		}},
		{report.PlansSchema, "`sledge jobs plan ID [ID] --json`", report.Plans{
			Schema: report.PlansSchema,
			Runs: []report.PlansOfRun{{
				ID: id, Explained: &job.Explained{Queries: 22, Plans: 22, Seconds: 0.025, Asked: "explain"},
				Plans: []job.QueryPlan{{
					Kind: "query 6", Stream: 1, Query: "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_quantity < 24", Seconds: 0.0004,
					Lines: []job.PlanLine{
						{Text: "Aggregate  (cost=2137.35..2137.36 rows=1 width=32)", Step: "Aggregate"},
						{Text: "  ->  Seq Scan on lineitem  (cost=0.00..2059.09 rows=11180 width=12)", Step: "  ->  Seq Scan on lineitem"},
						{Text: "        Filter: (l_quantity < '24'::numeric)"},
					},
				}},
			}},
		}},
		{document.TimingSchema, "`sledge jobs timing ID --json`", document.Timing{
			Schema: document.TimingSchema, ID: id, Elapsed: 300, Transactions: []report.Transaction{orders}, All: &all,
		}},
		{document.TPMSchema, "`sledge jobs tpm ID --json`", document.TPM{
			Schema: document.TPMSchema, ID: id, Points: []job.Rate{{At: second.At, Moment: second.Moment, Client: &client}},
		}},
		{document.SamplesSchema, "`sledge jobs samples ID --json`", document.Samples{
			Schema: document.SamplesSchema, ID: id, Axis: at,
			Series: []job.Sampled{{
				Series: job.Series{Name: "CPU", Unit: "%", Labels: map[string]string{"machine": "client", "mode": "user"}},
				Points: []job.Point{{At: second.At, Value: 41.5}},
			}},
		}},
		{document.ActivitySchema, "`GET /jobs/ID/activity` of the [web API](api.md)", document.Activity{
			Schema: document.ActivitySchema, ID: id, Axis: at, Width: 1, ServerMachine: "db1", ServerCPUs: 16, Samples: 10,
			Intervals: []document.ActivityInterval{{End: 121, Samples: 5}, {End: 122, Samples: 5}},
			Shares: []document.ActivityShare{
				{ActivityShare: job.ActivityShare{Sessions: 31, Class: "cpu", Transaction: "new order", Statement: "SELECT neword(?, ?, ?, ?, ?)"}, OverTime: []int64{14, 17}},
				{ActivityShare: job.ActivityShare{Sessions: 9, Class: "lock", Wait: "Lock/transactionid", Transaction: "payment", Statement: "SELECT payment(?, ?, ?, ?)"}, OverTime: []int64{9, 0}},
			},
		}},
		{document.PointsSchema, "`GET /jobs/ID/points` of the [web API](api.md)", document.Points{
			Schema: document.PointsSchema, ID: id, Axis: at, Width: 1, Figures: []string{"client NOPM", "client TPM"},
			Points: []live.Point{{
				Rate: job.Rate{At: second.At, Moment: second.Moment, Client: &client, Response: latency}, End: 121, Seconds: 1,
				Figures: []float64{15817, 36381}, Service: latency, FailedBy: map[string]int64{"deadlock": 1}, Retried: 1, Users: []int{0, 16, 0, 0}, Cells: []int64{40, 12, 210, 380, 4},
			}},
			Phases: []live.Phase{{Name: job.RampUp, Begun: at, Length: 120, Passed: 120}, {Name: job.Measure, Begun: at.Add(2 * time.Minute), From: 120, Length: 300, Passed: 1}},
		}},
		{document.WatchSchema, "`sledge watch --json`, one document a line", document.Watch{
			Schema: document.WatchSchema, At: at, Event: "reading", Database: "postgresql", Target: "db1:5432/tpcc",
			Elapsed: 10.0005, Transactions: &counted, TPM: &tpm,
			Probed: &document.Probed{What: "new order", Count: 2637, Elapsed: 10.0004, Rate: 15821},
		}},
		{document.ImportSchema, "`sledge jobs import FILE --json`; `sledge experiment import --json`", document.Import{Schema: document.ImportSchema, Added: []job.ID{id, other}, Present: 7}},
		{document.DeletedSchema, "`sledge jobs delete ID --json`", document.Deletion{Schema: document.DeletedSchema, Deleted: []job.ID{id}}},
		{document.CatalogSchema, "`sledge options --json`", document.Catalog{
			Schema:    document.CatalogSchema,
			Databases: []document.Entry{{Name: "postgresql", Title: "PostgreSQL", Aliases: []string{"pg"}, Schemes: []string{"postgres"}}},
			Workloads: []document.Entry{{Name: "tprocc", Title: "TPROC-C", Aliases: []string{"tpcc"}}},
		}},
		{document.OptionsSchema, "`sledge options DATABASE WORKLOAD --json`", document.Options{
			Schema: document.OptionsSchema, Database: "postgresql", Workload: "tprocc",
			Options: []document.Option{{Description: option.Description{
				Name: "warehouses", Flag: "warehouses", Kind: "int", Default: "1", Help: "warehouses to build",
				Group: option.Schema, Unit: "warehouses", Min: "1", Main: true,
			}, Key: "pg_count_ware", Label: "Number of Warehouses", Form: "schema", Limits: "whole number, at least 1"}},
			Forms: settings.Forms,
		}},
		{document.SettingsSchema, "`sledge run --dry-run --json`, and the other jobs alike", document.Settings{
			Schema: document.SettingsSchema, Action: "run", Database: "postgresql", Workload: "tprocc", Target: "db1:5432/tpcc", Users: []int{16}, Seed: 1,
			Origins:  map[string]string{"db": "--db", "users": "--users", "workload": "default", "seed": "default"},
			Settings: []settings.Setting{{Name: "host", Value: "db1", Origin: "--host", Main: true}},
			Warnings: []string{"SLEDGE_PG_HSOT in the environment is not known: did you mean SLEDGE_PG_HOST?"},
		}},
		{document.ConnectionsSchema, "`sledge connections list --json`; `sledge connections show NAME --json`", document.Connections{
			Schema: document.ConnectionsSchema,
			Connections: []document.Connection{{
				Name: "lab", Database: "postgresql", Target: "tpcc on db1:5432", Values: map[string]string{"host": "db1", "user": "tpcc"}, Kept: []string{"password"},
			}},
		}},
		{document.TrialSchema, "`sledge connections test --json`", document.Trial{
			Schema: document.TrialSchema, Database: "postgresql", Workload: "tprocc", Target: "tpcc on db1:5432", OK: true, State: settings.Ready,
			Remarks: []settings.Remark{{Tone: settings.Good, Text: "PostgreSQL 15.18 answers at tpcc on db1:5432"}},
			Server:  "15.18", RoundTrip: 0.11, Durability: &job.Durability{Holds: true, Why: "fsync and synchronous_commit are on"}, Data: "10 warehouses",
		}},
		{document.DefaultsSchema, "`sledge defaults --json`", document.Defaults{
			Schema: document.DefaultsSchema, Repository: "/home/me/.local/share/sledge/jobs.db", Connections: "/home/me/.local/share/sledge/connections.json",
			ConsoleSettings: "/home/me/.local/share/sledge/settings.db", ConfigFile: "sledge.toml",
			Variables: []settings.Location{{Name: settings.EnvConfig, Value: "sledge.toml", Meaning: "the configuration file", Used: true}},
			Settings: []settings.Default{
				{Name: "rampup", Option: "rampup", Value: "2", From: "line 7 of sledge.toml", BeatenBy: "SLEDGE_RAMPUP"},
				{Name: "rampup", Option: "rampup", Value: "5", From: "SLEDGE_RAMPUP"},
				{Name: "pg_pass", Option: "password", Secret: true, From: "SLEDGE_PG_PASS"},
			},
			Warnings: []string{},
		}},
		{selftest.Schema, "`sledge selftest --json`", selftest.Report{
			Schema: selftest.Schema, Sledge: "v1.0.0", Database: "postgresql", Title: "PostgreSQL", Server: "15.18",
			Options: map[string]string{"ssl": "true"}, Hidden: []string{"host", "password"}, Measured: 120, Began: at, Seconds: 1800,
			Steps: []selftest.Step{
				{Name: "connects", Outcome: selftest.Passed, Seconds: 0.1, Notes: []string{"good: PostgreSQL 15.18 answers"}},
				{Name: "sessions / loads", Outcome: selftest.Failed, Seconds: 0.4, Says: []string{"got 0 rows, ERROR: permission denied; want 3000"}},
			},
		}},
		{document.NoticeSchema, "webhooks of `sledge web` ([Notices](web.md#notices))", document.Notice{
			Schema: document.NoticeSchema, Event: document.NoticeMissed, At: at.Add(7 * time.Minute),
			Title: "Run missed a threshold: 15,824 NOPM (PostgreSQL, TPROC-C)", Link: "https://load1.example.com/#/jobs/" + string(id),
			Job: &document.NoticeOfJob{
				ID: id, Action: job.Run, Database: "postgresql", Workload: "tprocc", Labels: map[string]string{"kernel": "6.11"}, Users: 16,
				Status: job.Missed, Reason: "p99 is 61.2 ms instead of at most 50 ms", Headline: "15,824 NOPM",
				Verdict: "MISSED A THRESHOLD: the figures are valid", Begun: at, Ended: at.Add(7 * time.Minute),
			},
		}.WithLink("https://load1.example.com")},
		{document.VersionSchema, "`sledge version --json`", document.Version{
			Schema: document.VersionSchema, Version: "v1.0.0", Go: "go1.26.0", OS: "linux", Arch: "amd64",
			Databases: []string{"postgresql", "sqlite"}, Workloads: []string{"tprocc"},
		}},
		{report.DoctorSchema, "`sledge doctor --json`", report.Doctor{
			Schema: report.DoctorSchema, Target: "PostgreSQL tpcc on db1:5432",
			Doctor: job.Doctor{
				Checks: 61,
				Findings: []job.Advice{{
					ID: "pg.max_wal_size", Severity: job.SeverityHigh, Where: "PostgreSQL tpcc on db1:5432", Value: "max_wal_size is 1.0 GiB",
					Wanted: "enough for the log of two checkpoint_timeout: at least 4 GB",
					Why:    "When the log reaches its size, a checkpoint begins early, and each page is then written whole again.",
					Mend:   "ALTER SYSTEM SET max_wal_size = '16GB'; SELECT pg_reload_conf()", Source: "PostgreSQL manual, WAL Configuration", CheckedAt: at,
				}},
				Unchecked: []job.Unchecked{{ID: "disk.fsync", Why: "it writes a temporary file: ask for it with --disk"}},
			},
		}},
		{document.ErrorSchema, "every command with `--json` that fails before it has a document of its own", document.NewError(job.ExitUsage, tooSmall, tooSmall.Error())},
	}
}
