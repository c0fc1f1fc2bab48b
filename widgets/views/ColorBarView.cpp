#include "widgets/views/ColorBarView.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/ValueText.h"

#include <QtGui/QPainter>

#include <cmath>

namespace softscope {
namespace {

constexpr int widest = 360;
constexpr int barMargin = 12;

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
  return {widest, static_cast<int>(std::ceil(colorBarHeight(screenStyle(*this)))) + barMargin};
}

void ColorBarView::paintEvent(QPaintEvent*) {
  if (!colors_) return;
  QPainter painter(this);
  const int length = std::min(widest, width() - 2 * barMargin);
  const QRectF place((width() - length) / 2, 2, length, height() - barMargin);
  paintColorBar(painter, place, range_, *colors_, screenStyle(*this));
}

}  // namespace softscope
