# Two commands: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= $(shell .ci/find-python 3.12 3.11 3.13)
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check -c constraints.txt
RUN = .venv/bin
# What is tested in an environment of its own, .venv-torch and so on.
APART = torch ray counterparts deploy 313

.DEFAULT_GOAL := help
.PHONY: help demo test environments $(APART:%=.venv-%) install system models format lint types check test-fast test-models test-browser test-torch test-ray test-313 test-counterparts test-deploy cover soak fuzz bench image clean

help: ## This list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 20

demo: .venv/local ## Hear a bot answer a phone call, all of it on this machine (ONCE=1 exits afterwards, PORT=8080)
	$(RUN)/voicebot demo --port $(or $(PORT),8080) $(if $(ONCE),--once)

test: system environments check test-fast test-models test-browser test-torch test-ray test-counterparts test-deploy test-313 ## Lint, types and every test this machine can run

# Environments. A stamp file says what is installed; it is older than what it was installed from when that changes.

.venv/bin/python:
	@test -n "$(PYTHON)" || exit 1
	$(PYTHON) -m venv .venv

.venv/local: pyproject.toml constraints.txt | .venv/bin/python
	@echo 'Installing into .venv; the first time takes a minute or two.'
	$(RUN)/python $(PIP_INSTALL) -e '.[local]'
	@touch $@

.venv/dev: .venv/local
	$(RUN)/python $(PIP_INSTALL) -e '.[local,dev,aws]'
	@touch $@

# Two at a time, ahead of the tests: an installation waits for the network and the disk, and uses one processor.
environments: .venv/dev ## Every environment of make test
	@$(MAKE) --jobs 2 $(APART:%=.venv-%)

$(APART:%=.venv-%): .venv-%:
	.ci/$*-tests install

install: .venv/dev ## The environment for development, in .venv

system: ## Debian packages that some tests need, where this user may install them
	@.ci/system-packages

models: .venv/local ## Fetch and verify the model files into the user's cache
	$(RUN)/voicebot models

format: .venv/dev ## Rewrite the sources in the house style
	$(RUN)/ruff check --fix-only --quiet .
	$(RUN)/ruff format .

lint: .venv/dev ## ruff, and hadolint for the Dockerfile
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/hadolint Dockerfile

types: .venv/dev ## mypy --strict, tests included
	$(RUN)/mypy

check: lint types

PYTEST = $(RUN)/python -m pytest
# Over all processors, file by file. Calls between real processes are held in real time: they have the machine to themselves.
SPREAD = --numprocesses logical --dist loadfile --ignore tests/integration
# Some tests run real processes on a machine that others use. What failed is run once more, alone, and stands in the output
# twice: a test that needs it is to be mended.
AGAIN = $(PYTEST) --last-failed --last-failed-no-failures none
OFFLINE = -m "not models and not torch and not soak and not fuzz and not bench and not gpu and not browser and not counterparts and not ray and not deploy"
MODELS = -m "models and not torch and not soak"

test-fast: .venv/dev ## The offline tests, over all processors
	$(PYTEST) $(SPREAD) $(OFFLINE) || $(AGAIN) $(OFFLINE)
	$(PYTEST) $(OFFLINE) tests/integration || $(AGAIN) $(OFFLINE)

test-models: .venv/dev models ## The tests with real models: Whisper, Kokoro, SmolLM2, the whole demo
	$(PYTEST) $(MODELS) || $(AGAIN) $(MODELS)

test-browser: .venv/dev ## The pages in a real Chromium
	$(PYTEST) -m browser

test-torch: .venv/dev models ## The torch engine in an environment of its own, where Python 3.11 or 3.12 exists
	.ci/torch-tests

test-ray: ## The worker behind Ray Serve, in an environment of its own
	.ci/ray-tests

test-313: ## The offline tests on Python 3.13 with audioop-lts, where that interpreter exists
	.ci/313-tests $(SPREAD) $(OFFLINE)
	.ci/313-tests $(OFFLINE) tests/integration

test-counterparts: ## The vendors' own libraries as counterparts of our platforms, in an own environment
	.ci/counterparts-tests

test-deploy: ## The CDK app, synthesised offline in an environment of its own, where Node.js is
	.ci/deploy-tests

cover: .venv/dev ## Branch coverage of the offline tests
	$(PYTEST) $(OFFLINE) --cov --cov-report=term-missing:skip-covered

soak: .venv/dev ## Many calls: memory, tasks, threads and sockets must stay flat
	$(PYTEST) -m soak

fuzz: .venv/dev ## Many random inputs: accepted or refused with a documented error, nothing else
	VOICEBOT_FUZZ_EXAMPLES=100000 $(PYTEST) -m fuzz

bench: .venv/dev ## What the gateway costs and how quick it is
	$(RUN)/voicebot bench gateway
	$(RUN)/voicebot bench tts
	$(RUN)/voicebot bench conversation

image: ## The container images (needs a Docker engine)
	for target in gateway worker-cpu worker-gpu; do docker build --target $$target -t voicebot-$$target . || exit 1; done

clean: ## Remove environments and outputs
	rm -rf .venv .venv-* demo-out out bench-out .mypy_cache .ruff_cache .pytest_cache .hypothesis
