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

/// The advice for the weights of another library.
constexpr std::string_view otherLibrary =
    "; Softscope reads PyTorch and .safetensors files, so load the weights into a network of "
    "PyTorch's and save the state_dict() of that";

/// Beginnings of files of other libraries, which get that advice.
constexpr Signature otherLibraries[] = {
    {0, "\x89HDF\r\n\x1a\n"sv, "is an HDF5 file, as Keras writes them"},
    {0, "GGUF"sv, "is a GGUF file"},
    {4, "TFL3"sv, "is a TensorFlow Lite model"},
    {0, "ftrt"sv, "is a TensorRT engine"},
    {0, "\x0c\xdb\x3a\x2a"sv, "is a part of an Orbax checkpoint of JAX"},
};

constexpr Signature foreignFiles[] = {
    {0, "\xff\xd8\xff"sv, "is a JPEG picture, not a checkpoint"},
    {0, "\x89PNG\r\n\x1a\n"sv, "is a PNG picture, not a checkpoint"},
    {0, "GIF8"sv, "is a GIF picture, not a checkpoint"},
    {0, "%PDF-"sv, "is a PDF document, not a checkpoint"},
    {0, "\x93NUMPY"sv, "is a NumPy array, not a checkpoint"},
    {0, "\x1f\x8b"sv, "is compressed with gzip; unpack it first"},
    {0, "BZh"sv, "is compressed with bzip2; unpack it first"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "is compressed with xz; unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "is compressed with zstd; unpack it first"},
    {0, "\x04\x22\x4d\x18"sv, "is compressed with lz4; unpack it first"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "is a 7-Zip archive; unpack it first"},
    {0, "Rar!"sv, "is a RAR archive; unpack it first"},
    {0, "version https://git-lfs.github.com/spec/"sv,
     "is a Git LFS pointer, not the file itself; fetch it with git lfs pull"},
    {257, "ustar"sv,
     "is a tar archive; unpack it, or load and save it again if PyTorch before 0.2 wrote it"},
};

bool hasSignature(std::string_view head, const Signature& signature) {
  return head.size() >= signature.offset + signature.bytes.size() &&
         head.substr(signature.offset, signature.bytes.size()) == signature.bytes;
}

/// Returns true for the beginning of a MessagePack map whose first key is a text: Flax writes its
/// parameters so.
bool startsLikeMessagePack(std::string_view head) {
  const auto byteAt = [&](std::size_t at) { return static_cast<unsigned char>(head[at]); };
  if (head.size() < 8) return false;
  const bool isShortMap = byteAt(0) > 0x80 && byteAt(0) <= 0x8f;
  const bool isLongMap = byteAt(0) == 0xde || byteAt(0) == 0xdf;
  if (!isShortMap && !isLongMap) return false;
  const unsigned char key = byteAt(isShortMap ? 1 : byteAt(0) == 0xde ? 3 : 5);
  return (key > 0xa0 && key <= 0xbf) || key == 0xd9;
}

/// Returns what a protocol buffer that begins with a version is: ONNX's has the name of its writer
/// next, or the graph. Empty if the file is no such thing.
std::string protocolBuffer(std::string_view head) {
  constexpr char versionField = 0x08;
  constexpr char largestVersion = 0x20;
  constexpr char lengthField = 0x12;
  constexpr char graphField = 0x3a;
  if (head.size() < 16 || head[0] != versionField) return {};
  if (head[1] < 1 || head[1] > largestVersion) return {};
  if (head[2] == graphField) return "is an ONNX model";
  if (head[2] != lengthField) return {};
  const auto length = static_cast<unsigned char>(head[3]);
  const std::string_view writer = head.substr(4, length);
  const bool isNamed =
      length > 0 && writer.size() == length &&
      std::ranges::all_of(writer, [](char letter) { return letter >= 0x20 && letter < 0x7f; });
  return isNamed ? "is an ONNX model" : "is a model of ONNX, TensorFlow or Core ML";
}

/// Throws Malformed for markup: a page that came instead of a file, or OpenVINO's description of a
/// network.
void refuseMarkup(std::string_view head) {
  const std::size_t begin = std::min(head.find_first_not_of("\xef\xbb\xbf \t\r\n"), head.size());
  const std::string start = lowerCase(std::string(head.substr(begin)));
  const auto holds = [&](const char* word) { return start.find(word) != std::string::npos; };
  const bool isXml = start.starts_with("<?xml") || start.starts_with("<net ");
  if (isXml && holds("<net ")) {
    throw Malformed("is OpenVINO's description of a network" + std::string(otherLibrary));
  }
  const bool isPage = start.starts_with("<!doctype html") || start.starts_with("<html") ||
                      start.starts_with("<head");
  if (isPage || (isXml && (holds("<html") || holds("<!doctype html") || holds("<error")))) {
    throw Malformed("is a web page, not a checkpoint; the download went wrong, fetch it again");
  }
  if (isXml) throw Malformed("is an XML file, not a checkpoint");
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
    if (hasSignature(head, signature)) throw Malformed(signature.meaning);
  }
  for (const Signature& signature : otherLibraries) {
    if (hasSignature(head, signature))
      throw Malformed(signature.meaning + std::string(otherLibrary));
  }
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) {
    return FileKind::ZipCheckpoint;
  }
  if (head.front() == '\x80' || startsWithOldMagic(head)) return FileKind::LegacyCheckpoint;
  if (startsLikeMessagePack(head)) {
    throw Malformed("is a MessagePack file, as Flax writes them" + std::string(otherLibrary));
  }
  if (const std::string kind = protocolBuffer(head); !kind.empty()) {
    throw Malformed(kind + std::string(otherLibrary));
  }
  refuseMarkup(head);
  if (isText(head)) throw Malformed("is a text file, not a checkpoint");
  // A file with an absurd header length still gets a message about .safetensors.
  if (head.size() > 8 && head[8] == '{') return FileKind::Safetensors;
  throw Malformed("is not a checkpoint: neither a PyTorch nor a .safetensors file");
}

}  // namespace softscope
