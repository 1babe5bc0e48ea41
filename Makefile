# `make help` lists what a person runs. Each target sets up what it needs and does nothing twice;
# the README gives the same steps as plain commands.

VENV := .venv
BIN := $(VENV)/bin
COMMA := ,
NODE_BIN := $(BIN)/node node_modules/.bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check \
	--constraint requirements/lock.txt

.DEFAULT_GOAL := help
.PHONY: help app test test-all check format bench replicas site space train kernel lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

app: $(VENV)/app.stamp ## set up, start Headlight and open it in the browser
	$(BIN)/python app.py $(ARGS)

# What runs them: .ci/run takes scripts.again.
PYTEST := pytest

test: $(VENV)/test.stamp $(VENV)/browser.stamp ## set up and run the tests; ARGS="-k hooks" picks some
	$(BIN)/python -m $(PYTEST) -m "not slow and not release" $(ARGS)

test-all: $(VENV)/test.stamp $(VENV)/browser.stamp ## set up and run all of them: the slow ones and those of what ships, too
	$(BIN)/python -m $(PYTEST) -m "" $(ARGS)

check: $(VENV)/test.stamp node_modules/.package-lock.json ## format, lint and types, Python and JavaScript
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(NODE_BIN)/pyright
	$(NODE_BIN)/biome ci --colors=off
	$(NODE_BIN)/tsc

format: $(VENV)/test.stamp node_modules/.package-lock.json ## repair what `make check` can repair
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(NODE_BIN)/biome check --write --colors=off

bench: $(VENV)/test.stamp $(VENV)/browser.stamp ## measure speed and print the table
	$(BIN)/python -m benchmarks $(ARGS)

# Without ARGS: the recipe of checkpoints/reverse, under a name of its own.
TOY := toy --train runs/data/toy/train.tsv --dev runs/data/toy/dev.tsv --vocab-size 66 \
	--num-layers 2 --d-model 64 --num-heads 4 --d-ff 128 --dropout 0 --label-smoothing 0 \
	--max-length 32 --batch-tokens 1000 --steps 5000 --warmup 400 --learning-rate 2e-3 \
	--schedule cosine --eval-every 500

replicas: $(VENV)/replicas.stamp ## set up Ray Serve and answer from two processes; ARGS="--replicas 4" from more
	$(BIN)/python app.py $(or $(ARGS),--replicas 2)

site: $(VENV)/app.stamp ## write the page and its models into site/, which needs no server, and open it
	$(BIN)/python -m transformer site site --serve $(ARGS)

space: $(VENV)/test.stamp $(VENV)/browser.stamp ## run the last commit as a Hugging Face Space does, and look at it
	$(BIN)/python -m scripts.space

train: $(VENV)/train.stamp ## train a model: ARGS="--help" lists the options; without, a toy
	$(if $(ARGS),,$(BIN)/python -m scripts.toy_corpus runs/data/toy)
	$(BIN)/python -m transformer train $(or $(ARGS),$(TOY))

kernel: $(BIN)/python ## compile the engine's hot functions anew, from C to WebAssembly
	$(PIP_INSTALL) --requirement requirements/kernel.txt
	$(BIN)/python scripts/kernel.py

lock: $(BIN)/python ## choose the newest versions again
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --upgrade --universal --python-version 3.10 --all-extras --quiet \
		--custom-compile-command 'make lock' --output-file requirements/lock.txt pyproject.toml
	$(BIN)/python -m pip uninstall --quiet --yes uv

clean: ## remove everything that the other targets set up
	rm -rf $(VENV) node_modules build *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What follows is the set-up. A stamp file is younger than what it was made from.

# A `python3` on the PATH may be too old, too new for PyTorch's wheels, or only a shim: ask each.
$(BIN)/python:
	@for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.10 python3.14); do \
		$$python -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' \
			2>/dev/null || continue; \
		echo "Making $(VENV) with $$($$python --version)"; \
		$$python -m venv --clear $(VENV) && exit 0; \
		rm -rf $(VENV); \
		echo >&2 "error: $$python cannot make a virtual environment (Debian, Ubuntu: apt install python3-venv)"; \
		exit 1; \
	done; \
	echo >&2 "error: Headlight needs Python 3.10 to 3.14 on the PATH$(if $(PYTHON), and $(PYTHON) is not one). Or name one: make PYTHON=/path/to/python3"; \
	exit 1

# The larger sets hold the smaller ones.
$(VENV)/app.stamp: SETS := app
$(VENV)/train.stamp: SETS := app train
$(VENV)/test.stamp: SETS := app train test
$(VENV)/replicas.stamp: SETS := app replicas
$(VENV)/app.stamp $(VENV)/train.stamp $(VENV)/test.stamp $(VENV)/replicas.stamp: pyproject.toml setup.py requirements.txt requirements/lock.txt requirements/bertviz.txt | $(BIN)/python
	@echo "Installing the packages (the first time takes a few minutes)"
	$(PIP_INSTALL) --editable '.[app,hub$(patsubst %,$(COMMA)%,$(filter-out app,$(lastword $(SETS))))]'
	$(PIP_INSTALL) --no-deps --requirement requirements/bertviz.txt
	@touch $(SETS:%=$(VENV)/%.stamp)

$(VENV)/browser.stamp: scripts/browser.py | $(VENV)/test.stamp
	$(BIN)/python scripts/browser.py
	@touch $@

node_modules/.package-lock.json: package-lock.json | $(VENV)/test.stamp
	$(BIN)/npm ci --no-audit --no-fund
	@touch $@
