#include "widgets/paint/ValueText.h"

#include <QtCore/QLocale>

#include <algorithm>
#include <clocale>
#include <cmath>

namespace softscope {

namespace {

QString superscript(int number) {
  static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString text = number < 0 ? QStringLiteral("⁻") : QString();
  for (const QChar digit : QString::number(std::abs(number))) text += digits[digit.digitValue()];
  return text;
}

}  // namespace

QString joinedCaption(QStringList parts) {
  parts.removeAll(QString());
  for (qsizetype i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i].endsWith(u'.')) parts[i].chop(1);
  }
  return parts.join(captionSeparator);
}

QString valueText(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("not a number");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
  if (value == 0) return QStringLiteral("0");

  const QString scientific = QString::number(std::abs(value), 'e', digits - 1);
  const qsizetype letter = scientific.indexOf(QLatin1Char('e'));
  const int exponent = scientific.mid(letter + 1).toInt();
  QString text;
  if (exponent >= -3 && exponent < 6) {
    text = QString::number(std::abs(value), 'f', std::max(0, digits - 1 - exponent));
  } else {
    text = scientific.left(letter) + QStringLiteral("×10") + superscript(exponent);
  }
  return value < 0 ? QStringLiteral("−") + text : text;
}

QString asSentence(QString text) {
  const auto isSmall = [](QChar letter) { return letter >= u'a' && letter <= u'z'; };
  const auto end = std::find_if_not(text.cbegin(), text.cend(), isSmall);
  const QStringView rest = QStringView(text).mid(end - text.cbegin());
  const bool isWord = rest.startsWith(u' ') && !rest.startsWith(captionSeparator);
  if (isWord && end != text.cbegin()) text[0] = text[0].toUpper();
  return text;
}

void writeEnglishNumbers() {
  std::setlocale(LC_NUMERIC, "C");
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
}

}  // namespace softscope
