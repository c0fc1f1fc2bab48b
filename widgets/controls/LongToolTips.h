#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

namespace softscope {

/// Returns a text with line breaks, so that no line is longer than `columns` characters unless a
/// word is. Its own line breaks stay.
QString wrappedText(const QString& text, int columns);

/// Shows the tool tips of all widgets in lines of a readable length; Qt shows plain text as one
/// line, however long. Install it on the application as an event filter.
class LongToolTips : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace softscope
