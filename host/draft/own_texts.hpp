// Texts that a model tells itself: what a draft table for it is best made from, since they say what it will
// say.
#pragma once

#include <cstdint>
#include <vector>

#include "host/draft/build_draft_table.hpp"
#include "host/model/loaded_model.hpp"

namespace pspllm::host {

/// `count` texts of at most `length` tokens, each the likeliest continuation of the first few tokens of a
/// document (of 4 to 24: the first document's text begins with 4, the next one's with 5, and so on). Where
/// there are fewer documents than texts, they come again with other lengths. documents: at least one.
[[nodiscard]] std::vector<TokenText> tell_own_texts(LoadedModel& model,
                                                    const std::vector<TokenText>& documents,
                                                    std::uint32_t count, std::uint32_t length,
                                                    const ReportProgress& report_progress);

}  // namespace pspllm::host
