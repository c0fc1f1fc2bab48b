#pragma once

#include "widgets/workspace/OpenedModel.h"

#include <string>

namespace softscope::test {

/// Returns a synthetic model that is open but has not run on a picture; its layer is
/// `block1.0.attn`.
OpenedModel openedSynthetic(int id, const std::string& path = "soft.pth");

/// Returns openedSynthetic() after a run on a whole picture of 128 x 64.
OpenedModel inspectedSynthetic(int id, const std::string& path = "soft.pth");

}  // namespace softscope::test
