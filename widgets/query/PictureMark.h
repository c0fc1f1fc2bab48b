#pragma once

#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QColor>

namespace softscope {

/// Something on the picture that is pointed at from elsewhere.
struct PictureMark {
  /// In fractions of the picture.
  QRectF place;
  QColor color;
  /// One letter.
  QString letter;

  bool operator==(const PictureMark&) const = default;
};

}  // namespace softscope
