#pragma once

#include "core/checkpoint/PickledCheckpoint.h"

#include <string>

namespace softscope {

/// Opens the zip archive that torch.save writes since PyTorch 1.6: `data.pkl` and one entry per
/// storage. Throws Malformed.
PickledCheckpoint openZipCheckpoint(const std::string& path);

}  // namespace softscope
