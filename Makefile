# What a person types; CMake does the work. `make` alone lists the targets.
JOBS ?= $(shell nproc)
SHARED ?= ../shared
PROMPT ?= In the beginning
TOKENS ?= 48
# What `make conformance` tests: folders with a model.onnx and its test_data_set_*, or folders above such folders.
# Where none is given: all in $(SHARED)/onnx, or Debian's libonnx-testdata.
CASES ?=

LOAM := build/release/loam
.DEFAULT_GOAL := help
.PHONY: help setup build demo check conformance models fuzz bench format install clean

help: ## Explain each target
	@echo "Loam compiles ONNX graphs ahead of time to typed C++. Each target can be run again cheaply."
	@echo
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo
	@echo "Set on the command line: JOBS=$(JOBS) PROMPT='$(PROMPT)' TOKENS=$(TOKENS) CASES=$(CASES) PREFIX=/usr/local"

setup: ## Install with apt what the build needs (as root or with sudo; nothing is done where it is there)
	@tools/setup.sh

build: setup ## Build everything of the release preset; the command is build/release/loam
	@tools/build.sh release

demo: setup ## Compile the demo GPT-2 ahead of time and let it continue a prompt
	@tools/build.sh release loam
	@echo "== $(LOAM) generate examples/models/gpt2 --prompt \"$(PROMPT)\" --tokens $(TOKENS)"
	@$(LOAM) generate examples/models/gpt2 --prompt "$(PROMPT)" --tokens $(TOKENS)

check: ## Install, build with g++ and clang, run every test; ends with ctest's summary (25 minutes at most on two cores)
	@JOBS=$(JOBS) tools/check.sh

conformance: setup ## Run all of ONNX's own test data (CASES=FOLDER... for other cases); figures in build/conformance.json
	@tools/build.sh release loam
	@JOBS=$(JOBS) SHARED=$(SHARED) JSON=build/conformance.json tools/conformance.sh $(CASES)

models: setup ## Run whole models against onnxruntime's answers (those in SHARED/models), fused and not; figures in build/models*.json
	@tools/build.sh release loam
	@$(LOAM) test --layout auto --jobs $(JOBS) --expect tests/conformance/models.json --json build/models.json \
	  $(addprefix $(SHARED)/models/,real patterns zoo)
	@echo "== Every operator by a kernel of its own"
	@$(LOAM) test --layout auto --no-fuse --jobs $(JOBS) --expect tests/conformance/models.json --json build/models-unfused.json \
	  $(addprefix $(SHARED)/models/,real zoo)

fuzz: setup ## Fuzz the readers under the sanitizers, FUZZ_SECONDS each (600)
	@JOBS=$(JOBS) tools/fuzz.sh

bench: setup ## Measure kernels against this machine's ceiling, the compiler's own speed, and models beside onnxruntime
	@tools/build.sh release run_benchmarks
	@python3 bench/models.py build/release $(SHARED)

format: ## Format the C++ with clang-format, where it is installed
	@git ls-files '*.cpp' '*.hpp' | xargs $$(command -v clang-format-19 || echo clang-format) -i

install: build ## Install the command and its CMake package under PREFIX
	@cmake --install build/release --prefix "$(or $(PREFIX),/usr/local)"

clean: ## Remove everything built
	rm -rf build
