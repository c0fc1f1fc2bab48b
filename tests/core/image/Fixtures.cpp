#include "tests/core/image/Fixtures.h"

#include "core/array/Npz.h"
#include "tests/core/files/TemporaryFolder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace softscope::test {

std::string fixture(const std::string& name) {
  return std::string(SOFTSCOPE_TEST_DATA) + "/image/" + name;
}

Bytes readFile(const std::string& path) {
  const std::string content = contentOf(path);
  if (content.empty()) throw std::runtime_error("no fixture " + path);
  return Bytes(content.begin(), content.end());
}

void writeFile(const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

Picture expectedPixels(const std::string& name) {
  static const NamedArrays decoded = readNpz(fixture("decoded.npz"));
  for (const auto& [picture, levels] : decoded) {
    if (picture != name) continue;
    Picture expected;
    expected.height = static_cast<int>(levels.shape.at(0));
    expected.width = static_cast<int>(levels.shape.at(1));
    for (const float level : levels.values) {
      expected.rgb.push_back(static_cast<std::uint8_t>(level));
    }
    return expected;
  }
  throw std::runtime_error("no expectation " + name);
}

int largestDifference(const Picture& a, const Picture& b) {
  if (a.width != b.width || a.height != b.height || a.rgb.size() != b.rgb.size()) return 256;
  int largest = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) {
    largest = std::max(largest, std::abs(a.rgb[i] - b.rgb[i]));
  }
  return largest;
}

}  // namespace softscope::test
