#pragma once

#include <optional>

class QKeyEvent;

namespace softscope {

struct PatchStep {
  int rows = 0;
  int columns = 0;
};

/// Returns how far an arrow key moves a query: one patch, or eight with Shift. Empty for other
/// keys.
std::optional<PatchStep> arrowStep(const QKeyEvent& event);

}  // namespace softscope
