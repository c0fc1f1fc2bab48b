#include "widgets/views/MatchGrid.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/HeadPanel.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <cmath>
#include <utility>

namespace softscope {

MatchView::MatchView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
}

void MatchView::setPanel(MatchPanel panel) {
  panel_ = std::move(panel);
  setAccessibleName(panel_.title);
  setAccessibleDescription(panel_.note);
  update();
}

HeadPanelLayout MatchView::parts() const {
  return layoutHeadPanel(QRectF(rect()), matchAspect(panel_), false, screenStyle(*this));
}

QRectF MatchView::leftRect() const {
  return leftPicture(panel_, parts().image);
}

std::optional<QPointF> MatchView::fractionAt(const QPointF& place) const {
  const QRectF left = leftRect();
  if (!left.contains(place)) return std::nullopt;
  return QPointF((place.x() - left.x()) / left.width(), (place.y() - left.y()) / left.height());
}

void MatchView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const FigureStyle style = screenStyle(*this);
  HeadPanel names;
  names.title = panel_.title;
  names.note = panel_.note;
  paintPanelTitle(painter, parts(), names, style);
  paintMatches(painter, parts().image, panel_, style);
}

void MatchView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto place = fractionAt(event->position())) Q_EMIT pressed(*place);
}

void MatchView::mouseMoveEvent(QMouseEvent* event) {
  const auto place = fractionAt(event->position());
  setCursor(place ? Qt::CrossCursor : Qt::ArrowCursor);
  if (place && (event->buttons() & Qt::LeftButton)) Q_EMIT dragged(*place);
}

namespace {

constexpr int narrowestPair = 260;

}  // namespace

MatchGrid::MatchGrid(QWidget* parent) : PanelGrid(tr("Matches"), narrowestPair, parent) {
  setAccessibleDescription(
      tr("Patches of the picture and the patches of another that are most alike. Arrow keys step "
         "the query one patch."));
}

void MatchGrid::setPanels(std::vector<MatchPanel> panels) {
  const double aspect = panels.empty() ? 1 : matchAspect(panels.front());
  const bool sameShape = panels.size() == views_.size() && aspect == aspect_;
  aspect_ = aspect;
  makeViews(panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) views_[i]->setPanel(std::move(panels[i]));
  if (!sameShape) arrange();
}

void MatchGrid::makeViews(std::size_t count) {
  resizeViews(views_, count, [this](int) {
    auto* view = new MatchView(canvas());
    connect(view, &MatchView::pressed, this, &MatchGrid::pressed);
    connect(view, &MatchView::dragged, this, &MatchGrid::dragged);
    return view;
  });
}

PanelGrid::Shape MatchGrid::shape() const {
  const double overhead = headPanelOverhead(screenStyle(*this), false);
  return {count(), aspect_, static_cast<int>(std::ceil(overhead))};
}

void MatchGrid::place(int index, const QRect& place, bool) {
  view(index).setGeometry(place);
  view(index).show();
}

}  // namespace softscope
