# Run make without arguments to list the targets.

# The program is pure Go, and so needs no C compiler and no C library. With the tag duckdb it
# contains DuckDB and needs both (docs/decisions/035-a-tag-for-duckdb.md). With the tag db2 it is
# also linked to the system's loader on Linux, and can load IBM's library
# (docs/decisions/060-ibms-library-for-db2.md).
export CGO_ENABLED = 0
DUCKDB = CGO_ENABLED=1 go

# Object files do not contain the path of the sources, so that all commands and clones share Go's
# cache.
ifeq ($(findstring -trimpath,$(GOFLAGS)),)
export GOFLAGS += -trimpath
endif

# Without git the version is unknown, and the program shows that.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# The version contains the commit. Go must not run git itself, which fails in a tree of another
# owner.
BUILD = go build -buildvcs=false -ldflags '-X main.version=$(VERSION)'
# A separate go.mod pins the linters, so that the program's go.mod contains only what the program
# needs.
GOLANGCI = go tool -modfile=tools/go.mod golangci-lint

# The servers and tools whose tests must not be skipped. The newer PostgreSQLs of
# scripts/test-servers are also tested if they are installed, and CI requires them. The same applies
# to the scripts' languages, with every installed Python.
export SLEDGE_TEST_REQUIRE ?= postgresql,mariadb,tcl,python

# Linking seventy test binaries takes half as long without the data for debuggers. A fifth of the tests'
# CPU time would go to collecting garbage that fits into memory.
# make lint runs go vet.
TEST_FOLDER = $(shell scripts/test-folder)
GO_TEST = TMPDIR=$(TEST_FOLDER) GOGC=400 go test -ldflags='-s -w' -vet=off

# The packages whose tests take longest. They start first, and those that mostly wait for the clock
# run beside those that compute.
LONGEST = ./internal/workload/tprocc ./internal/database/oracle ./cmd/sledge ./internal/repository ./internal/workload/tproch/... \
	./internal/engine ./internal/cli ./internal/testserver ./internal/database/mysql ./internal/runner/... ./internal/selftest ./internal/database/sqlserver \
	./internal/web/api ./internal/scripting ./internal/listener ./internal/hammerdb/console ./internal/interpreter \
	./internal/database/postgresql ./internal/database/mariadb ./internal/datagen ./internal/grammartest

# The packages whose tests run what the manual and the examples show.
MANUAL = ./docs ./examples

# Tests of make test-versions: all variants on other versions and relatives, and on MySQL what make test
# runs on MariaDB.
RELATED = TestEveryDatabase|TestForeignObjects_InADatabase|TestRights_OnThePageAreEnough|TestRun_IsRefusedWithoutExecute|TestSchemasOfOthersAreDriven

# The packages in which goroutines share data, and the engine, which starts them.
RACE = ./internal/meter ./internal/loop ./internal/engine/... ./internal/runner/... ./internal/repository ./internal/settings ./internal/control/... ./internal/interpreter ./internal/hammerdb/console ./internal/web ./internal/cli/program ./internal/cli/site
# Their tests that compute in one goroutine, and take long under the detector.
ALONE = TestRecorder_MarksIncompleteJobs|TestOpen_MigratesAnOlderRepository|TestRates_EqualTheBriefsOfTallies|TestWhen_InvertsTheIntegralOfRate|TestArrivals_Poisson
# SQLite's C, translated to Go, is not ours: watched by the detector it is ten times slower. Only packages
# without instances of generic types may be left out: the linker keeps one copy of an instance, and
# without the detector it would hide what the packages of others wait for.
UNWATCHED = -gcflags=modernc.org/sqlite/lib=-race=false
# The tests of the command line that have concurrent parts.
RACE_OF_CLI = Interrupt|Signals|Output|Web|Watch|Service

# The packages that are different in the build with DuckDB.
OF_DUCKDB = ./internal/database/duckdb/... ./internal/catalog/...
# The packages with tests on every database of the build, and so on DuckDB.
ASKED_OF_DUCKDB = ./internal/workload/tproch/...

# Runs a command that links DuckDB. Without a C++ compiler it prints a message instead, and fails if
# DuckDB's tests must not be skipped.
with_compiler = if command -v "$$(go env CXX)" >/dev/null; then echo '$(1)'; $(1); else \
	echo "There is no C++ compiler, so the build with DuckDB is not tested."; \
	case ",$(SLEDGE_TEST_REQUIRE)," in *,duckdb,*) exit 1 ;; esac; fi

PLATFORMS = linux/amd64 linux/arm64 darwin/arm64 windows/amd64

# The Tcl interpreter that is embedded in Sledge for a system, and its sources.
tcl_for = internal/interpreter/helper/$(subst /,-,$(1))/tclsh.gz
# Systems without a folder there have no embedded interpreter.
TCL = $(patsubst %.gitignore,%tclsh.gz,$(wildcard internal/interpreter/helper/$(shell go env GOOS)-$(shell go env GOARCH)/.gitignore))
TCL_SOURCES = $(wildcard tclsh/*.go) tclsh/go.mod tclsh/go.sum $(wildcard internal/interpreter/pack/*.go)

# The pages of the web application, and their sources. Without npm they are left out.
PAGES = internal/web/pages/built/site/index.html
PAGES_SOURCES = $(shell find ui \( -name node_modules -o -name generated \) -prune -o -type f -print) docs/api/openapi.json

.DEFAULT_GOAL = help
.PHONY: help build build-duckdb build-db2 demo test test-packages test-others test-versions test-manual test-all test-duckdb test-db2 test-pages test-browser test-clients fuzz-api race check lint lint-duckdb lint-pages generated platforms cross release fuzz bench bench-pages bench-live generate docs pictures test-looks accept-pictures servers clean

help: ## list the targets, as make alone does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

internal/interpreter/helper/%/tclsh.gz: $(TCL_SOURCES)
	@echo 'build Tcl for $*'
	@GOOS= GOARCH= go run ./internal/interpreter/pack $(subst -,/,$*)

$(PAGES): $(PAGES_SOURCES) scripts/pages
	@scripts/pages build

build: $(TCL) $(PAGES) ## build bin/sledge
	$(BUILD) -o bin/ ./cmd/sledge

build-duckdb: $(TCL) $(PAGES) ## build bin/sledge-duckdb, with DuckDB (needs a C++ compiler)
	CGO_ENABLED=1 $(BUILD) -tags duckdb -o bin/sledge-duckdb$(shell go env GOEXE) ./cmd/sledge

build-db2: $(TCL) $(PAGES) ## build bin/sledge-db2, which can load IBM's library for Db2; on macOS and Windows every build can
	$(BUILD) -tags db2 -o bin/sledge-db2$(shell go env GOEXE) ./cmd/sledge

demo: build ## build, then run a small test on SQLite; needs no database server
	bin/sledge demo

servers: ## install the test servers, or list what to install
	@scripts/test-servers || echo 'Continuing: tests that require the missing servers will fail.'

test: servers $(TCL) $(PAGES) ## run all tests on real PostgreSQL and MariaDB servers
	@$(MAKE) --no-print-directory -j 2 test-packages test-others

test-packages: $(TCL)
	$(GO_TEST) -p 4 -parallel 4 -timeout 25m $(LONGEST) $$(go list ./... | grep -vxE '$(subst $() ,|,$(MANUAL:./%=sledge/%))')

# In sequence, at the same time as test-packages.
test-others:
	@$(MAKE) --no-print-directory test-pages
	@$(MAKE) --no-print-directory test-db2
	@$(MAKE) --no-print-directory test-duckdb

test-versions: servers $(TCL) ## run the workloads' tests on other versions and related databases
	SLEDGE_TEST_VERSIONS=1 $(GO_TEST) -p 2 -parallel 4 -timeout 25m -run '^($(RELATED))$$' ./internal/workload/...

test-manual: servers $(TCL) $(PAGES) ## run what the manual and the examples show
	$(GO_TEST) -p 2 -parallel 4 -timeout 25m $(MANUAL)

test-all: test test-versions test-manual ## run all tests on all versions and related databases

test-db2: ## run the tests of IBM's library for Db2, against Apache Derby
	$(GO_TEST) -tags db2 -timeout 25m -skip TestRoutines_InMariaDB ./internal/database/db2/...

test-duckdb: ## test the build with DuckDB, if there is a C++ compiler
	@$(call with_compiler,$(DUCKDB) test -ldflags=-w -tags duckdb -timeout 25m $(OF_DUCKDB) && $(DUCKDB) test -ldflags=-w -tags duckdb -timeout 25m -run Database.*/duckdb $(ASKED_OF_DUCKDB))

test-pages: ## test the pages of the web application, if there is npm
	@scripts/pages test

test-browser: build ## test the web application in a real browser, if there is Chromium and npm
	@TMPDIR=$(TEST_FOLDER) scripts/browser test

race: $(TCL) ## run the tests of shared data under the race detector (needs a C compiler)
	CGO_ENABLED=1 TMPDIR=$(TEST_FOLDER) go test -race $(UNWATCHED) -p 2 -timeout 25m -skip '$(ALONE)' $(RACE)
	CGO_ENABLED=1 TMPDIR=$(TEST_FOLDER) go test -race $(UNWATCHED) -timeout 25m -run '$(RACE_OF_CLI)' ./internal/cli

check: lint generated platforms ## run the other checks of CI: lint, generated files, other platforms

lint: $(TCL) ## check format, vet, linters and the rules of the source tree
	$(GOLANGCI) run ./...
	cd tclsh && go tool -modfile=../tools/go.mod golangci-lint run ./...
	go test .
	$(GOLANGCI) run --build-tags db2 ./internal/database/db2/...
	@$(MAKE) --no-print-directory lint-duckdb lint-pages

lint-duckdb: ## lint the build with DuckDB, if there is a C++ compiler
	@$(call with_compiler,CGO_ENABLED=1 $(GOLANGCI) run --build-tags duckdb ./cmd/sledge $(OF_DUCKDB))

lint-pages: ## lint the pages of the web application, if there is npm
	@scripts/pages lint

generated: ## fail if go generate changes anything
	@before=$$(git status --porcelain && git diff) && \
	go generate ./... && \
	after=$$(git status --porcelain && git diff) && \
	if [ "$$before" != "$$after" ]; then \
		echo 'go generate has changed these files; look at them and commit them:'; \
		git status --short; \
		exit 1; \
	fi

platforms: ## vet for the other release platforms
	PLATFORMS='$(PLATFORMS)' go test -tags platforms -run TestTypes_ .

cross: $(foreach p,$(PLATFORMS),$(call tcl_for,$(p))) $(PAGES) ## build bin/sledge-SYSTEM-PROCESSOR for all release platforms
	@for p in $(PLATFORMS); do \
		os=$${p%/*} arch=$${p#*/}; \
		echo "build for $$os on $$arch"; \
		[ $$os = windows ] && exe=.exe || exe=; \
		GOOS=$$os GOARCH=$$arch $(BUILD) -o bin/sledge-$$os-$$arch$$exe ./cmd/sledge || exit 1; \
		[ $$os != linux ] || GOOS=$$os GOARCH=$$arch $(BUILD) -tags db2 -o bin/sledge-db2-$$os-$$arch ./cmd/sledge || exit 1; \
	done

release: cross ## build the release archives with checksums, in dist
	@scripts/release '$(or $(VERSION),unknown)' $(PLATFORMS)

fuzz: $(TCL) ## run each fuzz test for ten seconds
	@grep -r --include='*_test.go' '^func Fuzz' internal | \
	sed 's|^\(.*\)/[^/]*:func \(Fuzz[A-Za-z0-9_]*\).*|\1 \2|' | \
	while read -r folder name; do \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime 10s ./$$folder || exit 1; \
	done

test-clients: ## generate clients of the web API, compile them and run them, if there are Java and Maven
	@scripts/clients

fuzz-api: build ## fuzz the web API with 100,000 calls: 20 minutes (CALLS=20: calls of each operation)
	@scripts/fuzz-api $(CALLS)

bench: servers $(TCL) ## run the benchmarks: three quarters of an hour, on an idle machine (RUN=Memory: one figure)
	go test -tags bench ./bench -v -count=1 -timeout 60m $(if $(RUN),-run '$(RUN)')

bench-pages: build ## measure how fast the pages load, on an idle machine
	@scripts/browser speed -v

bench-live: build ## watch a live page for ten minutes with a processor that is four times slower, on an idle machine
	@scripts/browser live -v

generate: ## generate the catalog and the other generated files
	go generate ./...

docs: ## generate the pages of the manual that are derived from declarations in the code
	go generate ./internal/cli

pictures: build ## take the pictures of docs/web.md from the running program
	@scripts/browser pictures

test-looks: build ## compare pictures of the pages and their states with those in browser/looks
	@scripts/browser looks

accept-pictures: ## keep the pictures of the pages that the last make test-looks found different
	cp dist/looks/new/* browser/looks/
	rm -r dist/looks

clean: ## remove built files, but not the test servers in .cache
	rm -rf bin dist coverage.out internal/interpreter/helper/*/tclsh.* internal/web/pages/built/site ui/node_modules browser/node_modules
