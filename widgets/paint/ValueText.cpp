#include "widgets/paint/ValueText.h"

#include <QtCore/QLocale>
#include <QtCore/QRegularExpression>

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

/// Returns a number as valueText() writes it, with as many digits, if that differs from its plain
/// digits.
QString typesetNumber(const QString& number) {
  const QString mantissa = number.section(u'e', 0, 0);
  const double value = number.toDouble();
  constexpr double leastPlain = 0.001;
  if (mantissa.size() == number.size() && (value == 0 || std::abs(value) >= leastPlain)) {
    return number;
  }
  QString digits = mantissa;
  digits.remove(u'-').remove(u'.');
  while (digits.startsWith(u'0')) digits.remove(0, 1);
  return valueText(value, std::max(1, static_cast<int>(digits.size())));
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

QString typesetText(const std::string& text) {
  static const QRegularExpression numbers(
      QStringLiteral(R"((?<![\w.\-])-?\d+(\.\d+)?(e[+\-]?\d+)?(?!\w|[.\-]\w))"));
  static const QRegularExpression crosses(QStringLiteral(R"((?<=\d) x (?=\d)|(?<=\bn) x (?=n\b))"));
  QString plain = QString::fromStdString(text);
  plain.replace(crosses, QStringLiteral(" × "));
  QString typeset;
  qsizetype end = 0;
  for (auto found = numbers.globalMatch(plain); found.hasNext();) {
    const QRegularExpressionMatch match = found.next();
    typeset += plain.mid(end, match.capturedStart() - end) + typesetNumber(match.captured());
    end = match.capturedEnd();
  }
  return typeset + plain.mid(end);
}

void writeEnglishNumbers() {
  std::setlocale(LC_NUMERIC, "C");
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
}

}  // namespace softscope
