#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

class ZipArchive;

/// Returns true if torch.export.save() wrote the archive (`.pt2`).
bool isExportedProgram(const ZipArchive& archive);

/// Reads the parameters and buffers of such an archive as data: its list of weights names a file of
/// raw little-endian numbers for each. Throws Malformed.
StateDict readExportedProgram(ZipArchive& archive);

}  // namespace softscope
