#include "widgets/controls/ScrolledContent.h"

#include <QtCore/QEvent>
#include <QtWidgets/QLayout>

#include <algorithm>
#include <utility>

namespace softscope {

ScrolledPanel::ScrolledPanel(const QString& name, QWidget* content, QWidget* parent)
    : QScrollArea(parent) {
  setAccessibleName(name);
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidget(content);
}

ScrolledHead::ScrolledHead(QWidget* content, QWidget* page)
    : ScrolledPanel(tr("Settings of the page"), content, page), page_(page) {
  page->installEventFilter(this);
}

bool ScrolledHead::eventFilter(QObject* watched, QEvent* event) {
  const bool isSized = watched == page_ && event->type() == QEvent::Resize;
  const bool isChanged = watched == widget() && event->type() == QEvent::LayoutRequest;
  if (isSized || isChanged) fit();
  return ScrolledPanel::eventFilter(watched, event);
}

void ScrolledHead::fit() {
  const int needed = widget()->layout()->totalHeightForWidth(page_->width());
  const int most = page_->height() / 2;
  // A scroll bar that came for a moment would stay by itself: beside it, text takes more lines.
  setVerticalScrollBarPolicy(needed > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  setFixedHeight(std::clamp(needed, 0, most));
}

ScrolledContent::ScrolledContent(const QString& name, QWidget* content, FitParts fitParts,
                                 QWidget* parent)
    : ScrolledPanel(name, content, parent), fitParts_(std::move(fitParts)) {}

void ScrolledContent::fit() {
  fitParts_(widget()->width());
}

bool ScrolledContent::eventFilter(QObject* watched, QEvent* event) {
  // Before the content lays out its parts: what they ask for while they are laid out is forgotten.
  if (watched == widget() && event->type() == QEvent::Resize) fit();
  return ScrolledPanel::eventFilter(watched, event);
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
