#include "tests/core/checkpoint/HostileFiles.h"

namespace softscope {

namespace {

std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t sum = 0xffffffffu;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1u) * 0xedb88320u);
  }
  return ~sum;
}

std::string pickledTuple(const std::vector<std::int64_t>& numbers) {
  std::string bytes = "(";
  for (const std::int64_t number : numbers) bytes += pickledInteger(number);
  return bytes + "t";
}

/// The part that local headers and the directory of a zip archive share.
std::string zipFields(const std::string& name, const std::string& content) {
  const std::string version = littleEndianBytes(20, 2);
  return version + littleEndianBytes(0, 8) + littleEndianBytes(checksum(content), 4) +
         littleEndianBytes(content.size(), 4) + littleEndianBytes(content.size(), 4) +
         littleEndianBytes(name.size(), 2) + littleEndianBytes(0, 2);
}

}  // namespace

std::string littleEndianBytes(std::uint64_t value, int count) {
  std::string bytes;
  for (int index = 0; index < count; ++index, value >>= 8) bytes += static_cast<char>(value);
  return bytes;
}

std::string pickledInteger(std::int64_t value) {
  return "\x8a\x08" + littleEndianBytes(static_cast<std::uint64_t>(value), 8);
}

std::string pickledText(const std::string& text) {
  return "X" + littleEndianBytes(text.size(), 4) + text;
}

std::string pickleOf(const TensorClaim& claim) {
  const std::string storage = "(" + pickledText("storage") + "ctorch\n" + claim.storageClass +
                              "\n" + pickledText(claim.storageKey) + pickledText("cpu") +
                              pickledInteger(claim.storageCount) + "tQ";
  const std::string tensor = "ctorch._utils\n_rebuild_tensor_v2\n(" + storage +
                             pickledInteger(claim.offset) + pickledTuple(claim.sizes) +
                             pickledTuple(claim.strides) + "\x89" +
                             "ccollections\nOrderedDict\n)RtR";
  return "\x80\x02}" + pickledText("a") + tensor + "s.";
}

std::string zipOf(const ZipEntries& entries) {
  std::string bytes;
  std::string directory;
  for (const auto& [name, content] : entries) {
    const std::string fields = zipFields(name, content);
    directory += "PK\x01\x02" + littleEndianBytes(20, 2) + fields + littleEndianBytes(0, 10) +
                 littleEndianBytes(bytes.size(), 4) + name;
    bytes += "PK\x03\x04" + fields + name + content;
  }
  return bytes + directory + "PK\x05\x06" + littleEndianBytes(0, 4) +
         littleEndianBytes(entries.size(), 2) + littleEndianBytes(entries.size(), 2) +
         littleEndianBytes(directory.size(), 4) + littleEndianBytes(bytes.size(), 4) +
         littleEndianBytes(0, 2);
}

ZipEntries checkpointEntries(const std::string& pickle, const std::string& storage) {
  return {{"archive/data.pkl", pickle},
          {"archive/byteorder", "little"},
          {"archive/data/0", storage},
          {"archive/version", "3\n"}};
}

std::string zipCheckpoint(const TensorClaim& claim, const std::string& storage) {
  return zipOf(checkpointEntries(pickleOf(claim), storage));
}

std::string legacyCheckpoint(const std::string& pickle, std::uint64_t count,
                             const std::string& storage, bool littleEndian) {
  const std::string magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string version = "\x80\x02M\xe9\x03.";
  const std::string machine =
      "\x80\x02}" + pickledText("little_endian") + (littleEndian ? "\x88" : "\x89") + "s.";
  const std::string keys = "\x80\x02]" + pickledText("0") + "a.";
  return magic + version + machine + pickle + keys + littleEndianBytes(count, 8) + storage;
}

std::string safetensorsOf(const std::string& header, const std::string& data) {
  return littleEndianBytes(header.size(), 8) + header + data;
}

}  // namespace softscope
