# The project's commands. `make demo` and `make test` work on a bare Debian 12 (root or sudo); `make help` lists them.
BUILD := build
JOBS := $(shell nproc)
VENV := $(BUILD)/venv
PYTHON := $(VENV)/bin/python
CTEST := ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS)

.PHONY: help
help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: setup
setup:  ## install the Debian packages that are missing
	@tools/setup.sh

$(BUILD)/build.ninja: | setup
	@echo "configure: $(BUILD)/"
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release >$(BUILD).log || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/configure.log

.PHONY: build
build: setup $(BUILD)/build.ninja  ## build everything; the command line is build/pspllm
	@echo "build: host programs"
	@cmake --build $(BUILD) -j$(JOBS)

.PHONY: psp
psp: build  ## build build/psp/EBOOT.PBP
	@cmake --build $(BUILD) --target psp -j$(JOBS)

.PHONY: venv
venv: setup $(VENV)/.done
$(VENV)/.done: training/requirements.txt
	@echo "venv: Python packages into $(VENV)/"
	@python3 -m venv $(VENV)
	@$(PYTHON) -m pip install -q -r training/requirements.txt
	@touch $@

.PHONY: train
train: venv build  ## train the default story model (resumes; about two hours on one core)
	@training/stories/train.sh

.PHONY: lint
lint: build venv  ## formatting, clang-tidy, ruff
	@tools/lint.sh $(BUILD) $(JOBS)

.PHONY: sanitize
sanitize: setup  ## the quick tests under the address, undefined-behaviour and alignment sanitizers
	@cmake -S . -B $(BUILD)/sanitize -G Ninja -DCMAKE_BUILD_TYPE=Release -DPSPLLM_SANITIZE=ON >/dev/null
	@cmake --build $(BUILD)/sanitize -j$(JOBS)
	@ctest --test-dir $(BUILD)/sanitize --output-on-failure -j$(JOBS) -LE 'long|psp' --quiet

.PHONY: fuzz-short
fuzz-short: setup  ## every fuzz target for a fixed number of inputs
	@cmake -S . -B $(BUILD)/fuzz -G Ninja -DCMAKE_BUILD_TYPE=Release -DPSPLLM_FUZZ=ON \
	  -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_C_COMPILER=clang-14 >/dev/null
	@cmake --build $(BUILD)/fuzz -j$(JOBS)
	@ctest --test-dir $(BUILD)/fuzz --output-on-failure -j$(JOBS) -L fuzz --quiet

.PHONY: python-test
python-test: venv  ## the training code's tests
	@$(PYTHON) -m pytest -q training

.PHONY: test
test: build psp lint python-test sanitize fuzz-short  ## everything that CI runs
	@$(CTEST) -LE long

.PHONY: test-long
test-long: test  ## the exhaustive tests too (an hour or more)
	@$(CTEST) -L long
