#include "widgets/controls/LongToolTips.h"

#include <QtCore/QStringList>
#include <QtGui/QHelpEvent>
#include <QtGui/QTextDocument>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>

namespace softscope {
namespace {

constexpr int readableColumns = 72;

QString wrappedLine(const QString& text, int columns) {
  QStringList lines;
  QString line;
  for (const QString& word : text.split(u' ')) {
    if (!line.isEmpty() && line.size() + 1 + word.size() > columns) {
      lines += line;
      line = word;
    } else {
      line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + word;
    }
  }
  lines += line;
  return lines.join(u'\n');
}

}  // namespace

QString wrappedText(const QString& text, int columns) {
  QStringList lines;
  for (const QString& line : text.split(u'\n')) lines += wrappedLine(line, columns);
  return lines.join(u'\n');
}

bool LongToolTips::eventFilter(QObject* watched, QEvent* event) {
  const auto* widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget*>(watched) : nullptr;
  if (!widget || widget->toolTip().size() <= readableColumns ||
      Qt::mightBeRichText(widget->toolTip())) {
    return QObject::eventFilter(watched, event);
  }
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                     wrappedText(widget->toolTip(), readableColumns),
                     qobject_cast<QWidget*>(watched));
  return true;
}

}  // namespace softscope
