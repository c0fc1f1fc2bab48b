#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct zip;
struct zip_file;

namespace softscope {

/// What the compressed entries of a file of that many bytes may unpack to together: what honest
/// compression does, and no more, because a thousandth of a bomb's size holds it.
std::uint64_t inflationLimit(std::uint64_t fileSize);

/// Says so of what is beyond such a limit.
[[noreturn]] void failInflated();

/// The entries of a zip archive, read one at a time. Throws Malformed.
class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t storedSize = 0;
    bool deflated = false;
    /// Why it cannot be read, or null.
    const char* obstacle = nullptr;
  };

  /// `inflationLimit` bounds what all deflated entries may unpack to together; entries that are not
  /// compressed may come to the file's own size.
  ZipArchive(const std::string& path, std::uint64_t inflationLimit);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const std::vector<Entry>& entries() const { return entries_; }
  std::optional<std::size_t> find(std::string_view name) const;

  /// Throws unless the entry can be read and its size is one that its bytes can have. Call it
  /// before allocating for read(); it counts towards the limits.
  void admit(std::size_t index);
  /// Fills `destination` with the entry's `size` bytes and checks their checksum.
  void read(std::size_t index, void* destination);
  /// admit() and read() into a string.
  std::string readWhole(std::size_t index);

 private:
  friend class ZipEntryReader;
  void listEntries();

  struct Closer {
    void operator()(zip* archive) const;
  };
  std::unique_ptr<zip, Closer> archive_;
  std::vector<Entry> entries_;
  std::uint64_t fileSize_ = 0;
  std::uint64_t plainBudget_ = 0;
  std::uint64_t inflationBudget_ = 0;
};

/// The bytes of an entry that was admitted, one after another. Throws Malformed.
class ZipEntryReader {
 public:
  ZipEntryReader(ZipArchive& archive, std::size_t index);
  ~ZipEntryReader();
  ZipEntryReader(const ZipEntryReader&) = delete;
  ZipEntryReader& operator=(const ZipEntryReader&) = delete;

  std::uint64_t remaining() const { return remaining_; }
  /// Fills `destination` with the next `count` bytes.
  void read(void* destination, std::size_t count);
  /// Reads on to the end, and compares the checksum.
  void finish();

 private:
  struct Closer {
    void operator()(zip_file* file) const;
  };
  std::unique_ptr<zip_file, Closer> file_;
  std::uint64_t remaining_;
};

}  // namespace softscope
