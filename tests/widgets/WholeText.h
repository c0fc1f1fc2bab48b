#pragma once

#include <QtWidgets/QLabel>

#include <string>

namespace softscope::test {

/// Returns a label's text without the marks that keep names on one line, or the whole of one that
/// ends with an ellipsis, as screen readers get it.
inline QString wholeText(const QLabel& label) {
  return label.text().endsWith(QStringLiteral(" …"))
             ? label.accessibleName()
             : label.text().remove(QChar(0x2060)).remove(QChar(0x200b));
}

/// Returns the texts of all visible labels of a page, each on a line of its own.
inline std::string wordsOf(const QWidget& page) {
  std::string words;
  for (const QLabel* label : page.findChildren<QLabel*>()) {
    if (label->isVisible()) words += wholeText(*label).toStdString() + "\n";
  }
  return words;
}

}  // namespace softscope::test
