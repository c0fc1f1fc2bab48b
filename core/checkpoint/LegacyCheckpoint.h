#pragma once

#include "core/checkpoint/PickledCheckpoint.h"

#include <string>

namespace softscope {

/// Opens the stream that torch.save wrote before PyTorch 1.6, and still writes on request: five
/// pickles (a magic number, a version, the machine, the value, the storages' keys), then the
/// storages one after another. Throws Malformed.
PickledCheckpoint openLegacyCheckpoint(const std::string& path);

}  // namespace softscope
