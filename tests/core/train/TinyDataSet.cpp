#include "tests/core/train/TinyDataSet.h"

#include "core/train/RandomStream.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace softscope::test {

namespace {

void append(std::string& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

Picture noisyPicture(int width, int height, std::uint64_t seed, int red, int green, int blue) {
  RandomStream random(seed);
  Picture picture{width, height, {}, "noise"};
  for (int i = 0; i < width * height; ++i) {
    for (const int level : {red, green, blue}) {
      const int noise = static_cast<int>(random.below(61)) - 30;
      picture.rgb.push_back(static_cast<std::uint8_t>(std::clamp(level + noise, 0, 255)));
    }
  }
  return picture;
}

void writePicture(const std::string& path, const Picture& picture) {
  const auto width = static_cast<std::uint32_t>(picture.width);
  const auto height = static_cast<std::uint32_t>(picture.height);
  const std::uint32_t stride = (3 * width + 3) / 4 * 4;
  std::string bytes = "BM";
  append(bytes, 54 + stride * height, 4);
  append(bytes, 0, 4);
  append(bytes, 54, 4);
  append(bytes, 40, 4);
  append(bytes, width, 4);
  append(bytes, height, 4);
  append(bytes, 1, 2);
  append(bytes, 24, 2);
  for (int i = 0; i < 6; ++i) append(bytes, 0, 4);
  for (std::uint32_t row = height; row-- > 0;) {
    for (std::uint32_t column = 0; column < width; ++column) {
      const std::uint8_t* rgb = picture.rgb.data() + 3 * (row * width + column);
      for (int c = 2; c >= 0; --c) bytes += static_cast<char>(rgb[c]);
    }
    append(bytes, 0, static_cast<int>(stride - 3 * width));
  }
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

void writeSplit(const std::string& folder, const std::string& split,
                const std::vector<std::string>& classes, int count, int side) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (int n = 0; n < count; ++n) {
      const std::string name = "/" + std::to_string(n) + ".bmp";
      const int shade = static_cast<int>(40 + 160 * i / classes.size());
      writePicture(folder + "/" + split + "/" + classes[i] + name,
                   noisyPicture(side, side, 100 * i + static_cast<std::uint64_t>(n), shade,
                                255 - shade, 128));
    }
  }
}

}  // namespace softscope::test
