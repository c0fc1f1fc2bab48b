#include "core/files/ZipArchive.h"

#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>

namespace softscope {

namespace {

// Deflate cannot achieve a higher ratio, so an entry that claims to is lying.
constexpr std::uint64_t largestDeflateRatio = 1032;

[[noreturn]] void failCutShort() {
  throw Malformed(
      "is damaged: a zip entry is cut short or its checksum does not match; fetch it again");
}

/// Reads a little-endian number.
std::uint64_t numberAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return number;
}

/// Returns how many entries a directory makes libzip read, about: it goes by the size where the
/// count has but two bytes, and takes memory by the count.
std::uint64_t mostEntriesOf(std::uint64_t count, std::uint64_t directoryBytes) {
  // 46 bytes and a name.
  constexpr std::uint64_t usualEntry = 64;
  return std::max(count, directoryBytes / usualEntry);
}

/// Returns the entries of a zip64 directory, whose end record the locator of 20 bytes tells.
std::uint64_t entriesBehind(std::string_view locator, InputFile& file) {
  std::string record(56, '\0');
  const std::uint64_t at = numberAt(locator, 8, 8);
  if (at > file.size() || file.size() - at < record.size()) return 0;
  file.read(at, record.data(), record.size());
  // An archive within this one, stored as it is, counts from its own beginning.
  if (!record.starts_with(std::string_view("PK\6\6", 4))) return 0;
  return mostEntriesOf(numberAt(record, 32, 8), numberAt(record, 40, 8));
}

/// Returns the entries of all directories that the end of a file names: libzip reads each and
/// keeps one.
std::uint64_t entriesNamed(InputFile& file) {
  constexpr std::string_view endMark("PK\5\6", 4);
  constexpr std::string_view locatorMark("PK\6\7", 4);
  constexpr std::size_t recordBytes = 22;
  constexpr std::size_t locatorBytes = 20;
  constexpr std::size_t longestComment = 0xffff;
  const auto tailBytes = static_cast<std::size_t>(
      std::min<std::uint64_t>(file.size(), locatorBytes + recordBytes + longestComment));
  const std::uint64_t tailAt = file.size() - tailBytes;
  std::string bytes(tailBytes, '\0');
  file.read(tailAt, bytes.data(), tailBytes);
  const std::string_view tail = bytes;
  std::uint64_t entries = 0;
  for (std::size_t at = tail.find(endMark); at != std::string_view::npos;
       at = tail.find(endMark, at + 1)) {
    if (tail.size() - at < recordBytes) break;
    std::uint64_t found = 0;
    if (at >= locatorBytes && tail.substr(at - locatorBytes, 4) == locatorMark) {
      found = entriesBehind(tail.substr(at - locatorBytes, locatorBytes), file);
    } else if (numberAt(tail, at + 12, 4) + numberAt(tail, at + 16, 4) <= tailAt + at) {
      found = mostEntriesOf(numberAt(tail, at + 10, 2), numberAt(tail, at + 12, 4));
    }
    entries += std::min(found, std::numeric_limits<std::uint64_t>::max() - entries);
  }
  return entries;
}

/// Throws Malformed if the file has far more entries than its size warrants: each takes a
/// kilobyte of memory, however few bytes of the file it occupies. Returns the size.
std::uint64_t sizeOfArchive(const std::string& path) {
  constexpr std::uint64_t mostOfSmallFile = 20'000;
  InputFile file(path);
  if (entriesNamed(file) > mostOfSmallFile + file.size() / 1024) {
    throw Malformed("is a zip archive of far more entries than a file of its size has");
  }
  return file.size();
}

ZipArchive::Entry describeEntry(zip* archive, zip_uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME)) {
    throw Malformed("is a damaged zip archive: an entry of its directory cannot be read");
  }
  ZipArchive::Entry entry;
  entry.name = stat.name;
  entry.size = stat.size;
  entry.storedSize = stat.comp_size;
  entry.deflated = stat.comp_method == ZIP_CM_DEFLATE;
  if (stat.encryption_method != ZIP_EM_NONE) {
    entry.obstacle = "has an encrypted zip entry; unpack the archive with its password first";
  } else if (!entry.deflated && stat.comp_method != ZIP_CM_STORE) {
    entry.obstacle =
        "has a zip entry that is compressed otherwise than with deflate; repack it without "
        "compression";
  }
  return entry;
}

}  // namespace

std::uint64_t inflationLimit(std::uint64_t fileSize) {
  constexpr std::uint64_t smallFile = std::uint64_t{24} << 20;
  constexpr std::uint64_t ratio = 3;
  constexpr std::uint64_t largestFile = std::uint64_t{1} << 50;
  return smallFile + ratio * std::min(fileSize, largestFile);
}

void failInflated() {
  throw Malformed(
      "unpacks to far more than its own size; unpack the archive and repack it without compression "
      "if it can be trusted");
}

void ZipArchive::CloseArchive::operator()(zip* archive) const {
  zip_discard(archive);
}

ZipArchive::ZipArchive(const std::string& path, std::uint64_t inflationLimit)
    : fileSize_(sizeOfArchive(path)), plainBudget_(fileSize_), inflationBudget_(inflationLimit) {
  int code = 0;
  archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive_) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw Malformed("is a truncated or damaged zip archive (" + reason + "); fetch it again");
  }
  listEntries();
}

ZipArchive::~ZipArchive() = default;

void ZipArchive::listEntries() {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    entries_.push_back(describeEntry(archive_.get(), static_cast<zip_uint64_t>(index)));
  }
  // Readers differ in which of two files with one name they take.
  std::unordered_set<std::string_view> names;
  for (const Entry& entry : entries_) {
    if (!names.insert(entry.name).second && !entry.name.ends_with('/')) {
      throw Malformed("is a zip archive with two files called " + quotedText(entry.name) +
                      "; fetch it again, or save it anew");
    }
  }
}

std::optional<std::size_t> ZipArchive::find(std::string_view name) const {
  const zip_int64_t index = zip_name_locate(archive_.get(), std::string(name).c_str(), 0);
  if (index < 0) return std::nullopt;
  return static_cast<std::size_t>(index);
}

void ZipArchive::admit(std::size_t index) {
  const Entry& entry = entries_.at(index);
  if (entry.obstacle) throw Malformed(entry.obstacle);
  const bool possible = entry.deflated ? entry.size / largestDeflateRatio <= entry.storedSize
                                       : entry.size == entry.storedSize;
  if (!possible || entry.storedSize > fileSize_) {
    throw Malformed("is damaged: a zip entry claims more bytes than the file can hold");
  }
  std::uint64_t& budget = entry.deflated ? inflationBudget_ : plainBudget_;
  if (entry.size > budget) {
    if (entry.deflated) failInflated();
    throw Malformed("is damaged: zip entries overlap");
  }
  budget -= entry.size;
}

void ZipArchive::read(std::size_t index, void* destination) {
  ZipEntryReader reader(*this, index);
  reader.read(destination, static_cast<std::size_t>(reader.remaining()));
  reader.finish();
}

void ZipEntryReader::CloseEntry::operator()(zip_file* file) const {
  zip_fclose(file);
}

ZipEntryReader::ZipEntryReader(ZipArchive& archive, std::size_t index)
    : file_(zip_fopen_index(archive.archive_.get(), index, 0)),
      remaining_(archive.entries_.at(index).size) {
  if (!file_) throw Malformed("is damaged: a zip entry does not open; fetch it again");
}

ZipEntryReader::~ZipEntryReader() = default;

void ZipEntryReader::read(void* destination, std::size_t count) {
  if (count > remaining_) failCutShort();
  for (std::size_t done = 0; done < count;) {
    const zip_int64_t got =
        zip_fread(file_.get(), static_cast<char*>(destination) + done, count - done);
    if (got <= 0) failCutShort();
    done += static_cast<std::size_t>(got);
  }
  remaining_ -= count;
}

void ZipEntryReader::finish() {
  std::array<char, 16 * 1024> unused;
  while (remaining_ > 0) {
    read(unused.data(),
         static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, unused.size())));
  }
  // libzip compares the checksum when it reaches the end, so one more byte is requested.
  if (zip_fread(file_.get(), unused.data(), 1) != 0) failCutShort();
}

std::string ZipArchive::readWhole(std::size_t index) {
  admit(index);
  std::string bytes(static_cast<std::size_t>(entries_.at(index).size), '\0');
  read(index, bytes.data());
  return bytes;
}

}  // namespace softscope
