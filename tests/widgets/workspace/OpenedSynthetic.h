#pragma once

#include "widgets/workspace/OpenedModel.h"

#include <string>

namespace softscope::test {

/// A synthetic model that was opened and has not seen a picture; its layer is `block1.0.attn`.
OpenedModel openedSynthetic(int id, const std::string& path = "soft.pth");

/// The same after it saw all of a picture of 128 x 64.
OpenedModel inspectedSynthetic(int id, const std::string& path = "soft.pth");

}  // namespace softscope::test
