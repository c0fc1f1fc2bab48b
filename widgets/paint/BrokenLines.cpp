#include "widgets/paint/BrokenLines.h"

#include "widgets/paint/ValueText.h"

#include <QtGui/QFontMetricsF>

namespace softscope {
namespace {

/// Fills lines no wider than `width` with `pieces`, and puts `between` between two on one line.
QStringList filledLines(const QStringList& pieces, const QString& between, double width,
                        const QFontMetricsF& metrics) {
  QStringList lines;
  for (const QString& piece : pieces) {
    const QString longer = lines.isEmpty() ? piece : lines.last() + between + piece;
    if (!lines.isEmpty() && metrics.horizontalAdvance(longer) <= width) {
      lines.last() = longer;
    } else {
      lines.push_back(piece);
    }
  }
  return lines;
}

/// Breaks a word that is too wide by itself where names of files and layers have joints.
QStringList brokenWord(const QString& word, double width, const QFontMetricsF& metrics) {
  QStringList pieces{QString()};
  for (const QChar letter : word) {
    pieces.last() += letter;
    if (QStringLiteral("._-/").contains(letter)) pieces += QString();
  }
  pieces.removeAll(QString());
  return filledLines(pieces, {}, width, metrics);
}

}  // namespace

QStringList brokenWords(const QString& text, double width, const QFontMetricsF& metrics) {
  QStringList lines;
  for (const QString& line : filledLines(text.split(u' '), QStringLiteral(" "), width, metrics)) {
    if (metrics.horizontalAdvance(line) <= width) {
      lines += line;
    } else {
      lines += brokenWord(line, width, metrics);
    }
  }
  return lines;
}

QStringList brokenLines(const QString& text, double width, const QFontMetricsF& metrics) {
  QStringList lines;
  for (const QString& line : filledLines(text.split(captionSeparator, Qt::SkipEmptyParts),
                                         captionSeparator, width, metrics)) {
    if (metrics.horizontalAdvance(line) <= width) {
      lines += line;
    } else {
      lines += brokenWords(line, width, metrics);
    }
  }
  return lines;
}

}  // namespace softscope
