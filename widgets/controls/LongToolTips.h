#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

namespace softscope {

/// Returns a text with line breaks in place of spaces, so that no line of several words is longer
/// than a tool tip should be. Tool tips are plain text, which Qt shows on one line, however long.
QString onLines(const QString& text);

/// Shows long tool tips of widgets in several lines. The tool tips themselves stay as they are,
/// since screen readers say them. Install it on the application as an event filter.
class LongToolTips : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace softscope
