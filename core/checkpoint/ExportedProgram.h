#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

class ZipArchive;

/// Whether an archive is what torch.export.save() wrote: `.pt2`.
bool isExportedProgram(const ZipArchive& archive);

/// The parameters and buffers of such an archive, as data: its list of weights names a file of raw
/// little-endian numbers for each. Throws Malformed.
StateDict readExportedProgram(ZipArchive& archive);

}  // namespace softscope
