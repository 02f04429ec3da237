// What a model is called: by the person who made its folder, by itself, or by its file.
#pragma once

#include <string_view>

#include "engine/core/byte_source.hpp"
#include "engine/model/model_file.hpp"
#include "psp/platform/path.hpp"
#include "psp/platform/text_buffer.hpp"
#include "psp/program/settings.hpp"

namespace pspllm::psp {

using ModelTitle = TextBuffer<max_model_name_bytes>;

/// The folder's name under models/; for the model beside the program the name of its file, "model.bin" say.
[[nodiscard]] ModelTitle title_of(const ModelName& name, const Path& path);

/// The name that a model's description (the section `about` of a .pspm file) gives: what stands on its line
/// "name: ...", else on its first line, up to a comma, a semicolon or a parenthesis. Empty where it has none.
[[nodiscard]] ModelTitle title_in(std::string_view about);

/// The same, but before the file's name goes the one that the file itself gives, where it gives any that can
/// be read.
[[nodiscard]] ModelTitle title_of(const ModelName& name, const Path& path, const ByteSource& source,
                                  const ModelFile& file);

}  // namespace pspllm::psp
