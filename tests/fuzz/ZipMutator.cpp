#include "tests/fuzz/Mutation.h"

#include <utility>
#include <vector>
#include <zlib.h>

// Changes one entry of a zip archive and writes the archive again, with the lengths and checksums
// that belong to it: otherwise nothing behind a checksum would ever be reached.

namespace {

using softscope::fuzz::numberAt;
using softscope::fuzz::numberBytes;
using softscope::fuzz::Random;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t localHeader = 30;
constexpr std::size_t mostEntries = 64;

/// What is stored without compression, as far as local headers can be followed.
Entries entriesOf(const std::string& zip) {
  Entries entries;
  std::size_t at = 0;
  while (at + localHeader <= zip.size() && zip.compare(at, 4, "PK\3\4") == 0 &&
         entries.size() < mostEntries) {
    const std::size_t size = numberAt(zip, at + 18, 4);
    const std::size_t name = numberAt(zip, at + 26, 2);
    const std::size_t extra = numberAt(zip, at + 28, 2);
    const bool isStored = numberAt(zip, at + 8, 2) == 0;
    const std::size_t content = at + localHeader + name + extra;
    if (!isStored || content > zip.size() || size > zip.size() - content) break;
    entries.emplace_back(zip.substr(at + localHeader, name), zip.substr(content, size));
    at = content + size;
  }
  return entries;
}

std::string zipOf(const Entries& entries) {
  std::string zip;
  std::string directory;
  for (const auto& [name, content] : entries) {
    const auto checksum =
        crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const std::string shared = numberBytes(20, 2) + numberBytes(0, 8) + numberBytes(checksum, 4) +
                               numberBytes(content.size(), 4) + numberBytes(content.size(), 4) +
                               numberBytes(name.size(), 2) + numberBytes(0, 2);
    directory += "PK\1\2" + numberBytes(20, 2) + shared + numberBytes(0, 10) +
                 numberBytes(zip.size(), 4) + name;
    zip += "PK\3\4" + shared + name + content;
  }
  const std::string count = numberBytes(entries.size(), 2);
  return zip + directory + "PK\5\6" + numberBytes(0, 4) + count + count +
         numberBytes(directory.size(), 4) + numberBytes(zip.size(), 4) + numberBytes(0, 2);
}

std::string mutatedEntry(const std::string& name, const std::string& content, Random& random,
                         std::size_t most) {
  if (name.ends_with(".pkl")) return softscope::fuzz::mutatedPickle(content, random, most);
  return softscope::fuzz::mutated(content, most);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  Random random(seed);
  const std::string zip(reinterpret_cast<const char*>(data), size);
  Entries entries = entriesOf(zip);
  // The archive's own structure has its turn, too.
  if (entries.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  auto& [name, content] = entries[random() % entries.size()];
  switch (random() % 16) {
    case 0:
      name = softscope::fuzz::mutated(name, name.size() + 8);
      break;
    case 1:
      entries.emplace_back(entries[random() % entries.size()]);
      break;
    default:
      content =
          mutatedEntry(name, content, random, content.size() + (most > size ? most - size : 0));
  }
  return softscope::fuzz::store(zipOf(entries), data, size, most);
}
