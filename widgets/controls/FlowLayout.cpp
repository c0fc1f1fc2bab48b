#include "widgets/controls/FlowLayout.h"

#include <QtWidgets/QWidget>

#include <algorithm>

namespace softscope {
namespace {

constexpr int downGap = 6;

}  // namespace

FlowLayout::FlowLayout(QWidget* parent, int acrossGap) : QLayout(parent), acrossGap_(acrossGap) {}

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item) {
  items_.emplace_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[std::size_t(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  if (index < 0 || index >= count()) return nullptr;
  QLayoutItem* item = items_[std::size_t(index)].release();
  items_.erase(items_.begin() + index);
  return item;
}

int FlowLayout::heightForWidth(int width) const {
  return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const auto& item : items_) size = size.expandedTo(item->minimumSize());
  const QMargins around = contentsMargins();
  return size + QSize(around.left() + around.right(), around.top() + around.bottom());
}

void FlowLayout::setGeometry(const QRect& place) {
  QLayout::setGeometry(place);
  arrange(place, true);
}

int FlowLayout::arrange(const QRect& place, bool really) const {
  const QRect inner = place.marginsRemoved(contentsMargins());
  QPoint corner = inner.topLeft();
  int lineHeight = 0;
  for (const auto& item : items_) {
    if (item->isEmpty()) continue;
    const QSize size = item->sizeHint();
    if (corner.x() > inner.left() && corner.x() + size.width() > inner.left() + inner.width()) {
      corner = {inner.left(), corner.y() + lineHeight + downGap};
      lineHeight = 0;
    }
    if (really) item->setGeometry(QRect(corner, size));
    corner.rx() += size.width() + acrossGap_;
    lineHeight = std::max(lineHeight, size.height());
  }
  return corner.y() + lineHeight - place.y() + contentsMargins().bottom();
}

}  // namespace softscope
