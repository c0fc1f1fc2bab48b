#include "widgets/controls/ScrolledContent.h"

#include <QtCore/QEvent>

#include <utility>

namespace softscope {

ScrolledContent::ScrolledContent(const QString& name, QWidget* content, FitParts fitParts,
                                 QWidget* parent)
    : QScrollArea(parent), fitParts_(std::move(fitParts)) {
  setAccessibleName(name);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidgetResizable(true);
  setWidget(content);
}

void ScrolledContent::fit() {
  fitParts_(widget()->width());
}

bool ScrolledContent::eventFilter(QObject* watched, QEvent* event) {
  // Before the content lays out its parts: what they ask for while they are laid out is forgotten.
  if (watched == widget() && event->type() == QEvent::Resize) fit();
  return QScrollArea::eventFilter(watched, event);
}

bool ScrolledContent::isScrolled(const QWidget& widget) {
  for (const QWidget* at = widget.parentWidget(); at; at = at->parentWidget()) {
    const auto* around = dynamic_cast<const ScrolledContent*>(at);
    if (!around || !around->widget()) continue;
    return around->widget()->minimumSizeHint().height() > around->viewport()->height();
  }
  return false;
}

}  // namespace softscope
