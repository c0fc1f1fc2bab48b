#pragma once

#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QColor>

namespace softscope {

/// A rectangle on the picture that another part of the window points at.
struct PictureMark {
  /// The rectangle, in fractions of the picture.
  QRectF place;
  QColor color;
  /// A single letter.
  QString letter;

  bool operator==(const PictureMark&) const = default;
};

}  // namespace softscope
