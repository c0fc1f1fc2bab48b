#include "widgets/paint/FittedText.h"

#include "widgets/paint/ValueText.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>

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

const QString gapSign = QStringLiteral("…");

/// The part of a name that tells it from others, as a range of letters.
struct NamePart {
  qsizetype from = 0;
  qsizetype to = 0;
};

qsizetype sharedStart(const QString& a, const QString& b) {
  const auto most = std::min(a.size(), b.size());
  qsizetype length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

qsizetype sharedEnd(const QString& a, const QString& b, qsizetype start) {
  const auto most = std::min(a.size(), b.size()) - start;
  qsizetype length = 0;
  while (length < most && a[a.size() - 1 - length] == b[b.size() - 1 - length]) ++length;
  return length;
}

/// Returns the range of letters outside which `name` is equal to each of the `others`.
NamePart partApart(const QString& name, const QStringList& others) {
  NamePart part{name.size(), 0};
  for (const QString& other : others) {
    const qsizetype start = sharedStart(name, other);
    part.from = std::min(part.from, start);
    part.to = std::max(part.to, name.size() - sharedEnd(name, other, start));
  }
  // Where one name is another with something left out, a letter marks the place.
  if (part.from >= part.to) part.to = std::min(name.size(), part.from + 1);
  part.from = std::min(part.from, part.to);
  return part;
}

QString cut(const QString& name, const NamePart& kept) {
  QString text = name.mid(kept.from, kept.to - kept.from);
  if (kept.from > 0) text.prepend(gapSign);
  if (kept.to < name.size()) text.append(gapSign);
  return text;
}

/// Returns the name around its part that must stay, with as much before and after it as fits.
QString cutAround(const QString& name, NamePart part, const QFontMetricsF& metrics, double width) {
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  if (!fits(cut(name, part))) {
    const double room = width - (part.from > 0 ? metrics.horizontalAdvance(gapSign) : 0) -
                        (part.to < name.size() ? metrics.horizontalAdvance(gapSign) : 0);
    QString text = metrics.elidedText(name.mid(part.from, part.to - part.from), Qt::ElideMiddle,
                                      std::max(0.0, room));
    if (part.from > 0 && !text.startsWith(gapSign)) text.prepend(gapSign);
    if (part.to < name.size() && !text.endsWith(gapSign)) text.append(gapSign);
    return text;
  }
  // Beginnings say more than ends.
  while (part.from > 0 && fits(cut(name, {part.from - 1, part.to}))) --part.from;
  while (part.to < name.size() && fits(cut(name, {part.from, part.to + 1}))) ++part.to;
  return cut(name, part);
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

QStringList namesApart(const QStringList& names, const QFontMetricsF& metrics, double width) {
  QStringList elided;
  for (const QString& name : names) elided += metrics.elidedText(name, Qt::ElideMiddle, width);
  if (elided == names) return names;
  QStringList shown = elided;
  for (qsizetype i = 0; i < names.size(); ++i) {
    if (elided[i] == names[i]) continue;
    QStringList others;
    // Names that read as this one does without their middles.
    QStringList alike;
    for (qsizetype j = 0; j < names.size(); ++j) {
      if (names[j] == names[i]) continue;
      others += names[j];
      if (elided[j] == elided[i]) alike += names[j];
    }
    if (others.isEmpty()) continue;
    NamePart part = partApart(names[i], others);
    if (metrics.horizontalAdvance(cut(names[i], part)) > width) {
      // A name that shares little with this one makes too much of it the part that differs.
      if (alike.isEmpty()) continue;
      part = partApart(names[i], alike);
    }
    shown[i] = cutAround(names[i], part, metrics, width);
  }
  // What cannot be told apart in so little room is numbered.
  const QStringList cutNames = shown;
  for (qsizetype i = 0; i < names.size(); ++i) {
    int number = 1;
    for (qsizetype j = 0; j < i; ++j) {
      if (names[j] != names[i] && cutNames[j] == cutNames[i]) ++number;
    }
    if (number == 1) continue;
    const QString mark = QString::number(number) + u' ';
    shown[i] = mark + metrics.elidedText(names[i], Qt::ElideMiddle,
                                         std::max(0.0, width - metrics.horizontalAdvance(mark)));
  }
  return shown;
}

}  // namespace softscope
