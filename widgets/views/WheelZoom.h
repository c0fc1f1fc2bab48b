#pragma once

#include <QtGui/QWheelEvent>

#include <cmath>
#include <optional>

namespace softscope {

/// Returns the factor by which a turn of the wheel zooms, above 1 to zoom in; nothing for a turn
/// that does not zoom. If the wheel scrolls the surrounding area, it zooms only with Ctrl.
inline std::optional<double> zoomFactor(const QWheelEvent& event, bool scrolls = false) {
  const double turned = event.angleDelta().y();
  if (turned == 0 || (scrolls && !(event.modifiers() & Qt::ControlModifier))) return std::nullopt;
  constexpr double perNotch = 1.25;
  constexpr double notch = 120;
  return std::pow(perNotch, turned / notch);
}

}  // namespace softscope
