#include "widgets/ColorBarView.h"

#include "widgets/Theme.h"
#include "widgets/figure/ColorBarPainter.h"
#include "widgets/figure/ValueText.h"

#include <QtGui/QPainter>

#include <cmath>

namespace softscope {
namespace {

constexpr int widest = 360;
constexpr int margin = 12;

}  // namespace

ColorBarView::ColorBarView(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Colour bar"));
}

void ColorBarView::setRange(const ValueRange& range, const ColorMap& colors) {
  range_ = range;
  colors_ = &colors;
  setAccessibleDescription(tr("from %1 to %2").arg(valueText(range.low), valueText(range.high)));
  update();
}

QSize ColorBarView::sizeHint() const {
  return {widest, static_cast<int>(std::ceil(colorBarHeight(screenStyle(*this)))) + margin};
}

void ColorBarView::paintEvent(QPaintEvent*) {
  if (!colors_) return;
  QPainter painter(this);
  const int length = std::min(widest, width() - 2 * margin);
  const QRectF place((width() - length) / 2, 2, length, height() - margin);
  paintColorBar(painter, place, range_, *colors_, screenStyle(*this));
}

}  // namespace softscope
