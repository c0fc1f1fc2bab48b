#pragma once

#include <QtCore/QString>

namespace softscope {

/// A number as figures print it: `digits` significant ones, powers of ten spelled out below 0.001,
/// a true minus sign.
QString valueText(double value, int digits = 3);

}  // namespace softscope
