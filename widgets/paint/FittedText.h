#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

class QFontMetricsF;

namespace softscope {

/// Breaks text into lines of words no wider than `width`; words that are too wide for one line are
/// broken where names of files and layers have joints. Only a part without joints may be wider.
QStringList brokenWords(const QString& text, double width, const QFontMetricsF& metrics);

/// Breaks text between its parts, which captionSeparator separates, and a part that is too wide by
/// itself as brokenWords() does.
QStringList brokenLines(const QString& text, double width, const QFontMetricsF& metrics);

/// Returns the names so that each fits into `width` and no two different ones read alike. A name
/// that is too wide loses what it shares with others before it loses what tells it from them:
/// `soft_imagenet_day10` and `softpp_imagenet_day10` become `soft_im…` and `softpp_im…`. Names that
/// fit stay as they are.
QStringList namesApart(const QStringList& names, const QFontMetricsF& metrics, double width);

}  // namespace softscope
