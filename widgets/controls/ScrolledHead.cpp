#include "widgets/controls/ScrolledHead.h"

#include <QtCore/QEvent>
#include <QtWidgets/QLayout>

#include <algorithm>

namespace softscope {

ScrolledHead::ScrolledHead(QWidget* content, QWidget* page) : QScrollArea(page), page_(page) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidget(content);
  setAccessibleName(tr("Settings of the page"));
  page->installEventFilter(this);
}

bool ScrolledHead::eventFilter(QObject* watched, QEvent* event) {
  const bool isSized = watched == page_ && event->type() == QEvent::Resize;
  const bool isChanged = watched == widget() && event->type() == QEvent::LayoutRequest;
  if (isSized || isChanged) fit();
  return QScrollArea::eventFilter(watched, event);
}

void ScrolledHead::fit() {
  const int needed = widget()->layout()->totalHeightForWidth(page_->width());
  setFixedHeight(std::clamp(needed, 0, page_->height() / 2));
}

}  // namespace softscope
