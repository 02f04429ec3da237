#pragma once
// What a run showed, as a table, as JSON, and as a page with pictures.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simulator/machine.hpp"

namespace pspllm::simulator {

// True when the program ended by itself or by the script.
[[nodiscard]] bool ended_well(Ending ending);

// One sentence: how the run ended, where.
[[nodiscard]] std::string ending_sentence(const Machine& machine);

// `other`: the same program run with the optimistic constants, or nullptr.
[[nodiscard]] nlohmann::json report_json(const Machine& machine, const Machine* other);
// `profile`: with the tables of functions and parts.
[[nodiscard]] std::string report_text(const Machine& machine, const Machine* other, bool profile);
[[nodiscard]] std::string report_html(const Machine& machine, const Machine* other);

// Bytes of a thread's stack that were used at the most.
[[nodiscard]] Word stack_used(const Thread& thread);
// Seconds of modelled time so far.
[[nodiscard]] double modelled_seconds(const Machine& machine);

}  // namespace pspllm::simulator
