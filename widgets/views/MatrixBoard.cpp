#include "widgets/views/MatrixBoard.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/views/WheelZoom.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {

MatrixView::MatrixView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setCursor(Qt::CrossCursor);
}

void MatrixView::setPanel(MatrixPanel panel) {
  const auto pointed = panel_.pointed;
  const bool sameImage =
      panel.whole.values == panel_.whole.values && panel.detail.values == panel_.detail.values &&
      panel.visible == panel_.visible && panel.range == panel_.range &&
      panel.heat.colors == panel_.heat.colors && panel.heat.absolute == panel_.heat.absolute;
  if (!sameImage) image_ = {};
  panel_ = std::move(panel);
  if (pointed && pointed->x() < panel_.keys && pointed->y() < panel_.queries) {
    panel_.pointed = pointed;
  }
  setAccessibleName(panel_.title);
  update();
}

HeadPanelLayout MatrixView::parts() const {
  return layoutHeadPanel(QRectF(rect()), matrixAspect(panel_.queries, panel_.keys), true,
                         screenStyle(*this));
}

QRectF MatrixView::imageRect() const {
  return matrixRect(parts().image, screenStyle(*this));
}

QPointF MatrixView::placeOf(int row, int column) const {
  const QRectF image = imageRect();
  const QRectF& part = panel_.visible;
  const double x = ((column + 0.5) / panel_.keys - part.x()) / part.width();
  const double y = ((row + 0.5) / panel_.queries - part.y()) / part.height();
  return {image.left() + x * image.width(), image.top() + y * image.height()};
}

HeadPanel MatrixView::frame() const {
  HeadPanel frame;
  frame.title = panel_.title;
  frame.note = panel_.note;
  return frame;
}

void MatrixView::paintEvent(QPaintEvent*) {
  if (panel_.queries == 0) return;
  QPainter painter(this);
  const FigureStyle style = screenStyle(*this);
  const HeadPanelLayout layout = parts();
  const QRectF exact = snapped(painter, imageRect());
  const QSize pixels = devicePixels(painter, exact);
  if (image_.size() != pixels) image_ = matrixImage(panel_, pixels);
  paintPanelTitle(painter, layout, frame(), style);
  painter.drawImage(exact, image_);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(style.frame, 0));
  painter.drawRect(exact);
  paintMatrixMarks(painter, imageRect(), panel_, style);
  if (panel_.heat.colors) {
    paintColorBar(painter, layout.colorBar, panel_.range, *panel_.heat.colors, style);
  }
}

QPointF MatrixView::fractionAt(const QPointF& place) const {
  const QRectF image = imageRect();
  const QRectF& part = panel_.visible;
  const double x = std::clamp((place.x() - image.left()) / image.width(), 0.0, 1.0);
  const double y = std::clamp((place.y() - image.top()) / image.height(), 0.0, 1.0);
  return {part.left() + x * part.width(), part.top() + y * part.height()};
}

std::optional<QPoint> MatrixView::entryAt(const QPointF& place) const {
  if (panel_.queries == 0 || !imageRect().contains(place)) return std::nullopt;
  const QPointF at = fractionAt(place);
  return QPoint(std::clamp(static_cast<int>(at.x() * panel_.keys), 0, panel_.keys - 1),
                std::clamp(static_cast<int>(at.y() * panel_.queries), 0, panel_.queries - 1));
}

void MatrixView::point(std::optional<QPoint> entry) {
  if (panel_.pointed == entry) return;
  panel_.pointed = entry;
  update();
  if (entry) {
    Q_EMIT hovered(entry->y(), entry->x());
  } else {
    Q_EMIT left();
  }
}

void MatrixView::mousePressEvent(QMouseEvent* event) {
  if (!imageRect().contains(event->position())) return;
  pressed_ = held_ = event->position();
  // Other buttons drag immediately; the left one may still become a click.
  dragging_ = event->button() != Qt::LeftButton;
  if (dragging_) setCursor(Qt::ClosedHandCursor);
}

void MatrixView::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) {
    point(entryAt(event->position()));
    return;
  }
  const double moved = (event->position() - *pressed_).manhattanLength();
  if (!dragging_ && moved < QApplication::startDragDistance()) return;
  dragging_ = true;
  setCursor(Qt::ClosedHandCursor);
  const QRectF image = imageRect();
  const QPointF by = std::exchange(held_, event->position()) - event->position();
  Q_EMIT panned({by.x() / image.width() * panel_.visible.width(),
                 by.y() / image.height() * panel_.visible.height()});
}

void MatrixView::mouseReleaseEvent(QMouseEvent* event) {
  if (!pressed_) return;
  const auto entry = entryAt(*pressed_);
  pressed_.reset();
  setCursor(Qt::CrossCursor);
  if (!dragging_ && event->button() == Qt::LeftButton && entry) {
    Q_EMIT chosen(entry->y(), entry->x());
  }
}

void MatrixView::wheelEvent(QWheelEvent* event) {
  const auto factor = zoomFactor(*event, !wheelZooms_);
  if (!factor || !imageRect().contains(event->position())) {
    QWidget::wheelEvent(event);
    return;
  }
  Q_EMIT zoomed(*factor, fractionAt(event->position()));
  event->accept();
}

void MatrixView::leaveEvent(QEvent*) {
  point(std::nullopt);
}

namespace {

constexpr int narrowestMatrix = 170;

}  // namespace

MatrixBoard::MatrixBoard(QWidget* parent)
    : PanelGrid(tr("Attention matrices"), narrowestMatrix, parent) {
  setAccessibleDescription(
      tr("Keys across, queries down. Click a row to ask about its query; arrow keys step the query "
         "one patch."));
}

void MatrixBoard::setPanels(std::vector<MatrixPanel> panels) {
  const double aspect =
      panels.empty() ? 1 : matrixAspect(panels.front().queries, panels.front().keys);
  const bool sameShape = panels.size() == views_.size() && aspect == aspect_;
  aspect_ = aspect;
  makeViews(panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) views_[i]->setPanel(std::move(panels[i]));
  if (!sameShape) arrange();
}

void MatrixBoard::makeViews(std::size_t count) {
  resizeViews(views_, count, [this](int index) {
    auto* view = new MatrixView(canvas());
    connect(view, &MatrixView::left, this, &MatrixBoard::left);
    connect(view, &MatrixView::panned, this, &MatrixBoard::panned);
    connect(view, &MatrixView::hovered, this,
            [this, index](int row, int column) { Q_EMIT hovered(index, row, column); });
    connect(view, &MatrixView::chosen, this,
            [this, index](int row, int column) { Q_EMIT chosen(index, row, column); });
    connect(view, &MatrixView::zoomed, this, [this, index](double factor, const QPointF& about) {
      Q_EMIT zoomed(index, factor, about);
    });
    return view;
  });
}

PanelGrid::Shape MatrixBoard::shape() const {
  if (!isVisible()) return {};
  const double overhead = headPanelOverhead(screenStyle(*this), true);
  return {count(), aspect_, static_cast<int>(std::ceil(overhead))};
}

void MatrixBoard::place(int index, const QRect& place, bool fits) {
  view(index).setGeometry(place);
  view(index).setWheelZooms(fits);
  view(index).show();
}

void MatrixBoard::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // The children get their sizes only after everything that becomes visible together has been laid
  // out.
  QMetaObject::invokeMethod(this, &MatrixBoard::arrange, Qt::QueuedConnection);
}

}  // namespace softscope
