# What people run by hand. CI runs .ci/run; the targets below that are also stages of it call it.

FUZZTIME ?= 10m
BENCH    ?= .
COVER    ?= cover.out

.PHONY: help build test race vet fuzz oracle bench ci docs cover

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## compile everything, and the command into bin/ once it is there
	go build ./...
	@if [ -d cmd/sightline ]; then go build -o bin/ ./cmd/sightline; fi

test: ## every test that takes seconds
	go test ./...

race: ## the same under the race detector
	go test -race ./...

vet: ## gofmt, vet for three systems, staticcheck
	.ci/run format vet static

fuzz: ## every fuzz target for FUZZTIME each
	FUZZTIME=$(FUZZTIME) .ci/run fuzz

oracle: ## the exhaustive worlds at their full size
	SIGHTLINE_LONG=1 go test -count=1 -timeout 4h -v -run 'Oracle|Exhaustive|World|Mutant|Crash|Simulation' ./...

bench: ## benchmarks that match BENCH
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

ci: ## what CI runs
	.ci/run

docs: ## write what is generated
	go test ./internal/tidy -run '^TestDocuments$$' -count=1 -update
	go test ./cmd/sightline -run '^TestGuides$$' -count=1 -update

cover: ## coverage over all rooms
	go test -coverpkg=./... -coverprofile=$(COVER) ./...
	go tool cover -func=$(COVER) | tail -1
	go tool cover -html=$(COVER) -o cover.html
