#pragma once

#include <QtWidgets/QLabel>

namespace softscope::test {

/// Returns a label's text, or the whole of one that ends with an ellipsis, as screen readers get
/// it.
inline QString wholeText(const QLabel& label) {
  return label.text().endsWith(QStringLiteral(" …")) ? label.accessibleName() : label.text();
}

}  // namespace softscope::test
