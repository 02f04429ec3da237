#include "simulator/png_file.hpp"

#include <png.h>

namespace pspllm::simulator {

bool write_png(const std::filesystem::path& path, const Screenshot& shot) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = screen_width;
  image.height = screen_height;
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, shot.pixels.data(), 0, nullptr) != 0;
}

}  // namespace pspllm::simulator
