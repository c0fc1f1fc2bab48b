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

/// Returns the total size that the compressed entries of a file of `fileSize` bytes may unpack to:
/// what honest compression achieves, and no more, because a bomb can be a thousand times smaller
/// than its content.
std::uint64_t inflationLimit(std::uint64_t fileSize);

/// Throws Malformed with a message that the entries unpack to more than inflationLimit().
[[noreturn]] void failInflated();

/// A zip archive whose entries are read one at a time. Throws Malformed.
class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t storedSize = 0;
    bool deflated = false;
    /// The reason why the entry cannot be read, or null.
    const char* obstacle = nullptr;
  };

  /// `inflationLimit` bounds the total unpacked size of all deflated entries; the uncompressed
  /// entries may together be as large as the file. Refuses archives of far more entries than their
  /// size warrants before it reads any, and those with two files of one name.
  ZipArchive(const std::string& path, std::uint64_t inflationLimit);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  std::uint64_t fileSize() const { return fileSize_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::optional<std::size_t> find(std::string_view name) const;

  /// Throws unless the entry can be read and its size is plausible for its compressed bytes. Call
  /// it before allocating memory for read(); it counts towards the limits.
  void admit(std::size_t index);
  /// Unpacks the entry at `index` into `destination`, which must have room for its `size` bytes.
  /// Throws Malformed if the entry is damaged or does not match its checksum.
  void read(std::size_t index, void* destination);
  /// Calls admit() and read(), and returns the content as a string.
  std::string readWhole(std::size_t index);

 private:
  friend class ZipEntryReader;
  void listEntries();

  struct CloseArchive {
    void operator()(zip* archive) const;
  };
  std::unique_ptr<zip, CloseArchive> archive_;
  std::vector<Entry> entries_;
  std::uint64_t fileSize_ = 0;
  std::uint64_t plainBudget_ = 0;
  std::uint64_t inflationBudget_ = 0;
};

/// Reads the bytes of an admitted entry in order. Throws Malformed.
class ZipEntryReader {
 public:
  ZipEntryReader(ZipArchive& archive, std::size_t index);
  ~ZipEntryReader();
  ZipEntryReader(const ZipEntryReader&) = delete;
  ZipEntryReader& operator=(const ZipEntryReader&) = delete;

  std::uint64_t remaining() const { return remaining_; }
  /// Fills `destination` with the next `count` bytes.
  void read(void* destination, std::size_t count);
  /// Reads to the end and verifies the checksum.
  void finish();

 private:
  struct CloseEntry {
    void operator()(zip_file* file) const;
  };
  std::unique_ptr<zip_file, CloseEntry> file_;
  std::uint64_t remaining_;
};

}  // namespace softscope
