#include "tests/fuzz/Corpus.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <zlib.h>

namespace softscope::fuzz {

namespace {

constexpr std::size_t block = 512;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

/// Returns the whole content of a gzip file, after comparing it with the checksum at its end.
std::string decompressed(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) refuse(path, "cannot be opened");
  std::string content;
  std::array<char, 1 << 16> part;
  int count = 0;
  while ((count = gzread(file, part.data(), part.size())) > 0) {
    content.append(part.data(), static_cast<std::size_t>(count));
  }
  // Z_BUF_ERROR for a file that ends too early.
  if (gzclose(file) != Z_OK || count < 0) refuse(path, "is damaged");
  return content;
}

/// A field of a header, up to its first zero.
std::string_view fieldOf(std::string_view header, std::size_t begin, std::size_t size) {
  const std::string_view field = header.substr(begin, size);
  return field.substr(0, field.find('\0'));
}

std::size_t octal(std::string_view field) {
  return std::strtoull(std::string(field).c_str(), nullptr, 8);
}

/// Whether the sum that a header states is that of its bytes, its own taken as blanks.
bool isHeader(std::string_view header) {
  std::size_t sum = 8 * ' ';
  for (std::size_t i = 0; i < block; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  return sum == octal(fieldOf(header, 148, 8));
}

std::string nameOf(std::string_view header) {
  const std::string name(fieldOf(header, 0, 100));
  const std::string_view folder = fieldOf(header, 345, 155);
  return folder.empty() ? name : std::string(folder) + "/" + name;
}

}  // namespace

std::vector<Input> readCorpus(const std::string& path) {
  const std::string content = decompressed(path);
  std::vector<Input> inputs;
  for (std::string_view rest = content; rest.size() >= block;) {
    const std::string_view header = rest.substr(0, block);
    // The end is a block of zeros.
    if (header.find_first_not_of('\0') == std::string_view::npos) {
      if (inputs.empty()) refuse(path, "holds no input");
      return inputs;
    }
    if (!isHeader(header)) refuse(path, "is no archive");
    if (header[156] != '0') refuse(path, nameOf(header) + " is no file");
    const std::size_t size = octal(fieldOf(header, 124, 12));
    rest.remove_prefix(block);
    if (size > rest.size()) refuse(path, "ends within " + nameOf(header));
    inputs.push_back({nameOf(header), {rest.begin(), rest.begin() + size}});
    rest.remove_prefix(std::min(rest.size(), (size + block - 1) / block * block));
  }
  refuse(path, "has no end");
}

}  // namespace softscope::fuzz
