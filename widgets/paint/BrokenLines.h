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

}  // namespace softscope
