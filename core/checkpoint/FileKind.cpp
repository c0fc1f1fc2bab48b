#include "core/checkpoint/FileKind.h"

#include "core/files/Malformed.h"
#include "core/text/Words.h"

#include <algorithm>
#include <string>

namespace softscope {

namespace {

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  const char* meaning;
};

using namespace std::string_view_literals;

constexpr Signature foreignFiles[] = {
    {0, "\xff\xd8\xff"sv, "is a JPEG picture, not a checkpoint"},
    {0, "\x89PNG\r\n\x1a\n"sv, "is a PNG picture, not a checkpoint"},
    {0, "GIF8"sv, "is a GIF picture, not a checkpoint"},
    {0, "%PDF-"sv, "is a PDF document, not a checkpoint"},
    {0, "\x93NUMPY"sv, "is a NumPy array, not a checkpoint"},
    {0, "\x89HDF\r\n\x1a\n"sv, "is an HDF5 file; only PyTorch and .safetensors files can be read"},
    {0, "GGUF"sv, "is a GGUF file; only PyTorch and .safetensors files can be read"},
    {0, "\x1f\x8b"sv, "is compressed with gzip; unpack it first"},
    {0, "BZh"sv, "is compressed with bzip2; unpack it first"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "is compressed with xz; unpack it first"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "is a 7-Zip archive; unpack it first"},
    {0, "Rar!"sv, "is a RAR archive; unpack it first"},
    {0, "version https://git-lfs.github.com/spec/"sv,
     "is a Git LFS pointer, not the file itself; fetch it with git lfs pull"},
    {257, "ustar"sv,
     "is a tar archive; unpack it, or load and save it again if PyTorch before 0.2 wrote it"},
};

bool startsWithMarkup(std::string_view head) {
  const std::size_t begin = std::min(head.find_first_not_of("\xef\xbb\xbf \t\r\n"), head.size());
  const std::string start = lowerCase(std::string(head.substr(begin, 15)));
  return start.starts_with("<!doctype html") || start.starts_with("<html") ||
         start.starts_with("<head") || start.starts_with("<?xml");
}

bool isText(std::string_view head) {
  return std::ranges::all_of(head, [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
  });
}

/// Returns true for a header length of less than 4 GB followed by the beginning of a JSON object.
/// Checked before all other signatures, because the first bytes of the length may look like any of
/// them.
bool startsLikeSafetensors(std::string_view head) {
  return head.size() > 8 && head.substr(4, 4) == "\0\0\0\0"sv && head[8] == '{';
}

/// Returns true for the magic number of the older format as pickle protocols 0 and 1 spell it.
bool startsWithOldMagic(std::string_view head) {
  return head.starts_with("L119547037146038801333356L\n");
}

}  // namespace

FileKind recogniseFile(std::string_view head) {
  if (head.empty()) throw Malformed("is empty");
  if (startsLikeSafetensors(head)) return FileKind::Safetensors;
  for (const Signature& signature : foreignFiles) {
    const bool fits = head.size() >= signature.offset + signature.bytes.size();
    if (fits && head.substr(signature.offset, signature.bytes.size()) == signature.bytes) {
      throw Malformed(signature.meaning);
    }
  }
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) {
    return FileKind::ZipCheckpoint;
  }
  if (head.front() == '\x80' || startsWithOldMagic(head)) return FileKind::LegacyCheckpoint;
  if (startsWithMarkup(head)) {
    throw Malformed("is a web page, not a checkpoint; the download went wrong, fetch it again");
  }
  if (isText(head)) throw Malformed("is a text file, not a checkpoint");
  // A file with an absurd header length still gets a message about .safetensors.
  if (head.size() > 8 && head[8] == '{') return FileKind::Safetensors;
  throw Malformed("is not a checkpoint: neither a PyTorch nor a .safetensors file");
}

}  // namespace softscope
