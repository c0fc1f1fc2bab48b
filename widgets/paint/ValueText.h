#pragma once

#include <QtCore/QString>

namespace softscope {

/// Between the parts of a caption.
inline const QString captionSeparator = QStringLiteral(" · ");

/// A number as figures print it: `digits` significant ones, powers of ten spelled out below 0.001,
/// a true minus sign.
QString valueText(double value, int digits = 3);

}  // namespace softscope
