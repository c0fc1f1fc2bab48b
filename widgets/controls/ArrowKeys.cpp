#include "widgets/controls/ArrowKeys.h"

#include <QtGui/QKeyEvent>

namespace softscope {

std::optional<PatchStep> arrowStep(const QKeyEvent& event) {
  const int distance = event.modifiers() & Qt::ShiftModifier ? 8 : 1;
  switch (event.key()) {
    case Qt::Key_Up:
      return PatchStep{-distance, 0};
    case Qt::Key_Down:
      return PatchStep{distance, 0};
    case Qt::Key_Left:
      return PatchStep{0, -distance};
    case Qt::Key_Right:
      return PatchStep{0, distance};
    default:
      return std::nullopt;
  }
}

}  // namespace softscope
