module sledge

go 1.26.0

// Some of npm's packages have Go files of their own.
ignore (
	./browser/node_modules
	./ui
)

require (
	charm.land/bubbletea/v2 v2.0.10 // the screen of sledge top: keys, resizing, and writing only what differs
	charm.land/lipgloss/v2 v2.0.6 // what is bold, coloured and framed on a terminal
	github.com/BurntSushi/toml v1.6.0 // configuration files in TOML
	github.com/DataDog/go-sqllexer v0.2.6 // the words of captured statements
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // latencies, whole and mergeable
	github.com/adhocore/gronx v1.20.4 // the times of cron expressions, for schedules
	github.com/agnivade/levenshtein v1.2.2 // did you mean
	github.com/charmbracelet/colorprofile v0.4.3 // whether a terminal has colours, and wants them
	github.com/creack/pty v1.1.24 // a terminal, for the console in the browser and tests of the prompt
	github.com/danielgtaylor/huma/v2 v2.37.2 // the web API, and its description by OpenAPI
	github.com/duckdb/duckdb-go/v2 v2.10506.0 // DuckDB 1.5.6, only with the tag duckdb; most of what is indirect is its
	github.com/dustin/go-humanize v1.1.0 // numbers, sizes and times for people
	github.com/ebitengine/purego v0.11.2 // Db2: IBM's own library, loaded at run time without C
	github.com/emersion/go-smtp v0.25.1 // a mail server, in tests
	github.com/go-sql-driver/mysql v1.10.1 // MariaDB and MySQL, with LOAD DATA LOCAL
	github.com/guptarohit/asciigraph v0.10.0 // the chart of a performance profile on a terminal
	github.com/hiddeco/sshsig v0.2.0 // signatures of bundles, in the format of ssh-keygen
	github.com/invopop/jsonschema v0.14.0 // JSON Schemas of documents, from their types
	github.com/jackc/pgpassfile v1.0.0 // the password file of libpq
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // the service file of libpq
	github.com/jackc/pgx/v5 v5.12.0 // PostgreSQL's own protocol and COPY
	github.com/klauspost/compress v1.20.3 // gzip at twice the speed, and zstd, for flat files
	github.com/mattn/go-runewidth v0.0.31 // how many columns text takes on a terminal
	github.com/microsoft/go-mssqldb v1.11.2 // SQL Server and Azure SQL, by TDS, without C
	github.com/parquet-go/parquet-go v0.32.0 // Parquet files, at a tenth of what Arrow's library adds to the program
	github.com/pb33f/libopenapi v0.42.3 // the description of the web API is OpenAPI 3.1, in tests
	github.com/peterh/liner v1.2.3 // the prompt: editing, history, completion
	github.com/prometheus/client_golang v1.25.0 // metrics of runs for Prometheus
	github.com/prometheus/client_model v0.6.3 // the data types of its formats
	github.com/prometheus/procfs v0.23.0 // what Linux reports about a machine, each second of a run
	github.com/redis/go-redis/v9 v9.23.0 // Redis
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // documents are as their schemas say, in tests
	github.com/shirou/gopsutil/v4 v4.26.10 // the machine under a result
	github.com/sijms/go-ora/v2 v2.8.24 // Oracle, without a client of its
	github.com/spf13/cobra v1.10.2 // commands, help and completion
	github.com/spf13/pflag v1.0.10 // flags made from option descriptions
	github.com/wneessen/go-mail v0.8.1 // notices by e-mail
	github.com/yuin/goldmark v1.8.6 // the manual in the browser, from its Markdown
	github.com/yuin/gopher-lua v1.1.2 // Lua 5.1, for scripts of sysbench
	go.opentelemetry.io/otel v1.47.0 // attributes of metrics, by OpenTelemetry's conventions
	go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp v1.47.0 // metrics to a collector of OpenTelemetry
	go.opentelemetry.io/otel/sdk v1.47.0 // what the metrics are of
	go.opentelemetry.io/otel/sdk/metric v1.47.0 // their form, and exports at intervals
	go.opentelemetry.io/proto/otlp v1.11.0 // the collector of tests
	go.yaml.in/yaml/v3 v3.0.6 // configuration files in YAML
	golang.org/x/crypto v0.58.0 // Argon2id, for passwords of the web application; keys of OpenSSH
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // Mann and Whitney's test, as benchstat has it
	golang.org/x/sync v0.24.0 // the first error stops all virtual users
	golang.org/x/sys v0.49.0 // epoll, for virtual users on event loops; locks of files
	golang.org/x/term v0.47.0 // passwords that are not shown
	golang.org/x/text v0.43.0 // XML files in the encodings of old editors, passwords for SCRAM
	golang.org/x/tools v0.52.0 // types on the platforms of releases, in a test
	gonum.org/v1/gonum v0.17.0 // distributions, quantiles and spreads of figures of runs
	google.golang.org/protobuf v1.36.12 // what that collector receives
	modernc.org/sqlite v1.61.1 // SQLite and the job repository, without C
)

require github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/andybalholm/brotli v1.2.0 // indirect
	github.com/apache/arrow-go/v18 v18.5.1 // indirect
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/buger/jsonparser v1.1.2 // indirect
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/charmbracelet/ultraviolet v0.0.0-20260811164956-006e29f97886 // indirect
	github.com/charmbracelet/x/ansi v0.11.8 // indirect
	github.com/charmbracelet/x/term v0.2.2 // indirect
	github.com/charmbracelet/x/termios v0.1.1 // indirect
	github.com/charmbracelet/x/windows v0.2.2 // indirect
	github.com/clipperhouse/displaywidth v0.11.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/duckdb/duckdb-go-bindings v0.10506.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/darwin-amd64 v0.10506.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/darwin-arm64 v0.10506.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/linux-amd64 v0.10506.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/linux-arm64 v0.10506.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/windows-amd64 v0.10506.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/go-ole/go-ole v1.2.6 // indirect
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/goccy/go-json v0.10.5 // indirect
	github.com/golang-sql/civil v0.0.0-20220223132316-b832511892a9 // indirect
	github.com/golang-sql/sqlexp v0.1.0 // indirect
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.30.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/lucasb-eyer/go-colorful v1.4.1 // indirect
	github.com/lufia/plan9stats v0.0.0-20211012122336-39d0f177ccd0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/muesli/cancelreader v0.2.2 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pb33f/go-yaml v0.1.1 // indirect
	github.com/pb33f/jsonpath v0.8.4 // indirect
	github.com/pb33f/ordered-map/v2 v2.3.2 // indirect
	github.com/pierrec/lz4/v4 v4.1.25 // indirect
	github.com/power-devops/perfstat v0.0.0-20260805114148-88456608a4f6 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/shopspring/decimal v1.4.0 // indirect
	github.com/tklauser/go-sysconf v0.4.0 // indirect
	github.com/tklauser/numcpus v0.12.0 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	github.com/xo/terminfo v0.0.0-20220910002029-abceb7e1c41e // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.opentelemetry.io/otel/metric v1.47.0 // indirect
	go.opentelemetry.io/otel/trace v1.47.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/exp v0.0.0-20260824195058-e88cd73687aa // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/telemetry v0.0.0-20261009151841-97e8ea77aa2a // indirect
	golang.org/x/xerrors v0.0.0-20240903120638-7835f813f4da // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.83.2 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
