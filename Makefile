BUN := node_modules/.bin/bun

.DEFAULT_GOAL := help
.PHONY: help test check

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 24

node_modules: package-lock.json
	npm ci --no-audit --no-fund
	@touch node_modules

test: node_modules ## Run the unit, contract and scenario tests
	$(BUN) test src

check: node_modules ## Type-check, lint
	node_modules/.bin/tsc -b
	node_modules/.bin/biome check .
