#pragma once

#include "core/checkpoint/PickleValue.h"
#include "core/checkpoint/StateDict.h"
#include "core/checkpoint/TensorRebuild.h"
#include "core/files/ZipArchive.h"

#include <cstdint>
#include <memory>
#include <string>

namespace softscope {

class ZipArchive;

/// Returns true if torch.export.save() wrote the archive (`.pt2`).
bool isExportedProgram(const ZipArchive& archive);

/// Reads the parameters and buffers of such an archive as data: its list of weights names a file of
/// raw little-endian numbers for each. `fileSize`, in bytes, bounds the memory for weights that are
/// stored transposed. Throws Malformed.
StateDict readExportedProgram(ZipArchive& archive, std::uint64_t fileSize);

/// A file that torch.save wrote, in either format: the pickled value and the storages it names,
/// which are read only when a tensor needs them.
struct PickledCheckpoint {
  std::unique_ptr<PickleTree> tree;
  const PickleValue* root = nullptr;
  std::unique_ptr<StorageSource> storages;
  std::uint64_t fileSize = 0;
};

/// Reads the zip archive that torch.save has written since PyTorch 1.6: `data.pkl` and one entry
/// per storage. Throws Malformed.
PickledCheckpoint openZipCheckpoint(std::unique_ptr<ZipArchive> archive);

/// Opens the stream that torch.save wrote before PyTorch 1.6 and still writes on request: five
/// pickles (a magic number, a version, the machine, the value, the storages' keys), then the
/// storages in sequence. Throws Malformed.
PickledCheckpoint openLegacyCheckpoint(const std::string& path);

}  // namespace softscope
