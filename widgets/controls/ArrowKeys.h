#pragma once

#include <optional>

class QKeyEvent;

namespace softscope {

struct PatchStep {
  int rows = 0;
  int columns = 0;
};

/// How far an arrow key moves a query: one patch, with Shift eight. Nothing for other keys.
std::optional<PatchStep> arrowStep(const QKeyEvent& event);

}  // namespace softscope
