// The commands of pspllm: one function and one file each. A new command is one line here and one in main.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace pspllm::host {

void add_run_command(CLI::App& app);
void add_chat_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_budget_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_quantize_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_draft_command(CLI::App& app);
void add_pack_command(CLI::App& app);
void add_tokenize_command(CLI::App& app);

}  // namespace pspllm::host
