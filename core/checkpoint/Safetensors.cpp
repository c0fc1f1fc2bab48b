#include "core/checkpoint/Safetensors.h"

#include "core/Error.h"
#include "core/checkpoint/ElementType.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/SafetensorsHeader.h"
#include "core/files/AtomicFile.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/PartFile.h"
#include "core/text/FileText.h"

#include <c10/util/Exception.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>
#include <utility>

namespace softscope {

namespace {

constexpr std::size_t headerLengthBytes = 8;

std::uint64_t readHeaderLength(InputFile& file) {
  // A parsed header takes twenty times its size in memory; a thousand tensors need a header of 100
  // KB.
  constexpr std::uint64_t smallFileHeader = std::uint64_t{2} << 20;
  constexpr std::uint64_t largestHeader = std::uint64_t{8} << 20;
  constexpr std::uint64_t bytesPerHeaderByte = 8;
  const std::string bytes = file.head(headerLengthBytes);
  std::uint64_t length = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[index]);
  }
  if (bytes.size() < headerLengthBytes)
    throw Malformed("is truncated: it has no .safetensors header");
  if (length > file.size() - headerLengthBytes) {
    throw Malformed("is truncated: its .safetensors header ends beyond the file; fetch it again");
  }
  if (length > std::min(largestHeader, smallFileHeader + file.size() / bytesPerHeaderByte)) {
    throw Malformed("has a .safetensors header of " + std::to_string(length >> 20) +
                    " MB, which describes more tensors than any network has");
  }
  return length;
}

SafetensorsHeader readHeader(InputFile& file, std::uint64_t length) {
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(headerLengthBytes, text.data(), text.size());
  return parseSafetensorsHeader(text, file.size() - headerLengthBytes - length);
}

Checkpoint readTensors(InputFile& file, const Progress& progress) {
  const std::uint64_t length = readHeaderLength(file);
  const std::uint64_t dataOffset = headerLengthBytes + length;
  SafetensorsHeader header = readHeader(file, length);

  Checkpoint checkpoint;
  for (SafetensorsHeader::Tensor& entry : header.tensors) {
    progress.throwIfCancelled();
    torch::Tensor tensor = torch::empty(entry.shape, entry.type);
    file.read(dataOffset + entry.begin, tensor.data_ptr(),
              static_cast<std::size_t>(entry.end - entry.begin));
    checkpoint.state.insert(std::move(entry.name), std::move(tensor));
  }
  checkpoint.metadata = std::move(header.metadata);
  // A converted file may say which copy of the weights it holds.
  const auto weights = checkpoint.metadata.find("weights");
  const bool isEma = weights != checkpoint.metadata.end() && weights->second == "ema";
  checkpoint.weights = isEma ? "ema" : "raw";
  return checkpoint;
}

nlohmann::ordered_json describeTensor(const StateDict::Entry& entry, std::uint64_t begin,
                                      const std::string& path) {
  const auto type = safetensorsName(entry.tensor.scalar_type());
  if (!type) {
    throw FileError(path, "cannot hold the tensor " + quotedText(entry.name) +
                              ": .safetensors has no " + "name for its element type");
  }
  nlohmann::ordered_json description;
  description["dtype"] = *type;
  description["shape"] = entry.tensor.sizes().vec();
  description["data_offsets"] = {begin, begin + entry.tensor.nbytes()};
  return description;
}

std::string encodeLength(std::uint64_t length) {
  std::string bytes;
  for (std::size_t index = 0; index < headerLengthBytes; ++index) {
    bytes += static_cast<char>(length >> (8 * index) & 0xff);
  }
  return bytes;
}

/// Encodes the header with its length in front, padded with spaces so that the tensors are aligned.
std::string encodeHeader(const std::string& path, const StateDict& state,
                         const std::map<std::string, std::string>& metadata) {
  // Written member by member, because looking names up in an ordered object takes quadratic time.
  std::string text = "{";
  const auto append = [&](const std::string& name, const nlohmann::ordered_json& value) {
    if (text.size() > 1) text += ',';
    text += nlohmann::json(name).dump() + ':' + value.dump();
  };
  try {
    if (!metadata.empty()) append("__metadata__", metadata);
    std::uint64_t offset = 0;
    for (const StateDict::Entry& entry : state.entries()) {
      if (entry.name == "__metadata__") {
        throw FileError(path, "cannot hold a tensor named __metadata__");
      }
      append(entry.name, describeTensor(entry, offset, path));
      offset += entry.tensor.nbytes();
    }
  } catch (const nlohmann::json::exception&) {
    throw FileError(path, "cannot be written: a name or a metadata entry is not valid UTF-8");
  }
  text += '}';
  text.append((headerLengthBytes - text.size() % headerLengthBytes) % headerLengthBytes, ' ');
  return encodeLength(text.size()) + text;
}

}  // namespace

Checkpoint readSafetensors(const std::string& path, const Progress& progress) {
  try {
    InputFile file(path);
    if (recogniseFile(file.head(recognisableBytes)) != FileKind::Safetensors) {
      throw Malformed("is a PyTorch file, not a .safetensors file");
    }
    Checkpoint checkpoint = readTensors(file, progress);
    checkpoint.path = path;
    return checkpoint;
  } catch (const Malformed& malformed) {
    throw CheckpointError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw CheckpointError(path, "does not fit in memory");
  } catch (const c10::Error&) {
    throw CheckpointError(path, "does not fit in memory");
  }
}

std::vector<std::string> safetensorsNames(const std::string& path) {
  InputFile file(path);
  std::vector<std::string> names;
  for (const SafetensorsHeader::Tensor& tensor : readHeader(file, readHeaderLength(file)).tensors) {
    names.push_back(tensor.name);
  }
  return names;
}

void writeSafetensors(const std::string& path, const StateDict& state,
                      const std::map<std::string, std::string>& metadata) {
  const std::string header = encodeHeader(path, state, metadata);
  writeFileAtomically(path, [&](const std::string& temporary) {
    errno = 0;
    std::ofstream file(temporary, std::ios::binary);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const StateDict::Entry& entry : state.entries()) {
      if (!file) break;
      const torch::Tensor tensor = entry.tensor.detach().cpu().contiguous();
      file.write(static_cast<const char*>(tensor.data_ptr()),
                 static_cast<std::streamsize>(tensor.nbytes()));
    }
    file.close();
    if (!file) throw FileError(path, writeFailure(errno));
  });
}

}  // namespace softscope
