#pragma once

#include "core/checkpoint/StateDict.h"

#include <cstdint>

namespace softscope {

class ZipArchive;

/// Returns true if torch.export.save() wrote the archive (`.pt2`).
bool isExportedProgram(const ZipArchive& archive);

/// Reads the parameters and buffers of such an archive as data: its list of weights names a file of
/// raw little-endian numbers for each. `fileSize`, in bytes, bounds the memory for weights that are
/// stored transposed. Throws Malformed.
StateDict readExportedProgram(ZipArchive& archive, std::uint64_t fileSize);

}  // namespace softscope
