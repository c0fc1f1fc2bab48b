#pragma once

#include <QtCore/QStringList>

class QFontMetricsF;

namespace softscope {

/// Returns the names so that each fits into `width` and no two different ones read alike. A name
/// that is too wide loses what it shares with others before it loses what tells it from them:
/// `soft_imagenet_day10` and `softpp_imagenet_day10` become `soft_im…` and `softpp_im…`. Names that
/// fit stay as they are.
QStringList namesApart(const QStringList& names, const QFontMetricsF& metrics, double width);

}  // namespace softscope
