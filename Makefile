# Every target first installs the dependencies. Each target is one script, which documents itself.
BUN := node_modules/.bin/bun

.DEFAULT_GOAL := help
.PHONY: vectors upstream-e2e judge-fuzz judge-record planted-faults kubectl clients help install up test test-faults test-real test-torture hand-over outage swap long-run check build generate real-control-plane differential bench profile lost-nodes parity

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install:
	@node tools/install.mjs

up: install ## Run a whole cluster in one process (ARGS=--help lists its flags)
	@$(BUN) src/cmd/steersman.ts up $(ARGS)

test: install ## Run the unit, contract and scenario tests on Bun and on Node
	@$(BUN) tools/run-tests.ts fast

test-faults: install ## Play every scenario with crashes of the manager, broken watches and lagging caches (ARGS=<controller>)
	@$(BUN) test/stage/play-faults.ts $(ARGS)

test-real: install ## Run the suites on a real kube-apiserver (builds it once if Go is installed)
	@$(BUN) tools/run-tests.ts real

test-torture: install ## Run the long suites with faults on a real kube-apiserver
	@$(BUN) tools/run-tests.ts torture

hand-over: install ## Kill the Go manager and ours in turn under load; the other takes over, 20 rounds
	@$(BUN) tools/run-tests.ts hand-over

go-beside: install ## Run the Go manager and scheduler on the embedded server under load; list their errors (ARGS=minutes)
	@$(BUN) tools/real-control-plane.ts && $(BUN) test/beside/go-beside.ts $(ARGS)

sample-apiserver: install ## Build k8s.io/sample-apiserver and use its kinds through the embedded server
	@$(BUN) tools/sample-apiserver.ts && $(BUN) tools/run-tests.ts sample-apiserver

upstream-e2e: install ## Run upstream's own tests of the API machinery on steersman up (ARGS="<regular expression>", or --record; needs Go)
	@$(BUN) tools/real-control-plane.ts && $(BUN) tools/upstream-e2e.ts && $(BUN) test/upstream/upstream-e2e.ts $(ARGS)

kubectl: install ## Run 377 kubectl commands on steersman up and on the real control plane; both must print the same
	@$(BUN) tools/run-tests.ts kubectl

clients: install ## Let Helm and Python's client install, upgrade and delete a chart on steersman up (needs Go and python3)
	@$(BUN) tools/other-clients.ts && $(BUN) tools/run-tests.ts clients

outage: install ## Make the API server unreachable for both managers for minutes, in every way
	@$(BUN) tools/run-tests.ts outage

swap: install ## Swap the whole manager of a populated cluster, Go's for ours and back, ten rounds (ROUNDS=2: a short one)
	@ROUNDS=$(ROUNDS) $(BUN) tools/run-tests.ts swap

long-run: install real-control-plane ## Run our daemon under churn and faults; count memory, timers, sockets, caches (MINUTES=30)
	@$(BUN) test/long-run/long-run.ts $(MINUTES)

check: install ## Type-check, lint, and check for dead code, repository rules and gaps in the parity ledger
	@$(BUN) tools/check.ts

build: install ## Compile dist/steersman and dist/kube-controller-manager
	@$(BUN) tools/build.ts

generate: install ## Generate types and tables from the Kubernetes sources
	@$(BUN) tools/generate.ts

vectors: install ## Generate test vectors with upstream's packages (ARGS=<name>: tools/go/vectors-<name>; needs Go)
	@$(BUN) tools/vectors.ts $(ARGS)

real-control-plane: install ## Build etcd, kube-apiserver, the Go manager, scheduler and kubectl once (needs Go 1.26)
	@$(BUN) tools/real-control-plane.ts

differential: install ## Compare with the Go manager on a real kube-apiserver (ARGS="[--record] <controller or scenario>")
	@$(BUN) tools/differential.ts $(ARGS)

bench: install ## Measure against the Go manager (ARGS=--quick)
	@$(BUN) tools/bench.ts $(ARGS)

profile: install ## Profile our manager's CPU and heap during a piece of the benchmark (SCENARIO=pods-1000, ARGS=--quick)
	@$(BUN) bench/profile.ts "$(SCENARIO)" $(ARGS)

lost-nodes: install ## Stop 500 of 700 nodes on a real API server, then all; compare taints and evictions with the Go manager's
	@$(BUN) bench/lost-nodes.ts $(ARGS)

parity: install ## Count the rows of the parity ledger (ARGS="show job": print rows with their tests)
	@$(BUN) tools/parity.ts $(or $(ARGS),counts)

planted-faults: install ## Plant faults into a copy of the program; the named tests must fail (ARGS="<plan> --changed")
	@$(BUN) tools/planted-faults.ts $(ARGS)

judge-fuzz: install ## Send 10,000 random requests to both API servers and publish how often they agree (ARGS="<seed> <count>": only print)
	@$(BUN) tools/judge-fuzz.ts $(or $(ARGS),verdict 10000 --publish)

judge-record: install ## Record the real API server's answers to the judge cases, for make test
	@$(BUN) tools/judge-record.ts
