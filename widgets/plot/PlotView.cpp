#include "widgets/plot/PlotView.h"

#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/Theme.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/CurveLabels.h"
#include "widgets/plot/LabelRoom.h"
#include "widgets/plot/NearestPoint.h"
#include "widgets/plot/PlotCanvas.h"
#include "widgets/plot/QCustomPlotHeader.h"

#include <QtCore/QEvent>
#include <QtGui/QFontMetricsF>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr double reach = 14;
constexpr int narrowestView = 220;
constexpr int lowestView = 180;
/// Least height of the axes, in pixels and in lines of their numbers; long names on end below them
/// add to it.
constexpr double lowestAxes = 110;
constexpr double fewestNumbers = 7;
/// Opacity of lines that are not asked for.
constexpr double paleAlpha = 0.18;

/// Returns the name at a position of an axis. Points of one name stand beside each other, up to
/// half a position away. For a position without a name, it is that of the last one before it and
/// its number: `block1.0 0 + 7`.
QString nameOn(const PlotAxis& axis, double value) {
  const long last = static_cast<long>(axis.names.size()) - 1;
  const auto index = static_cast<std::size_t>(std::clamp(std::lround(value), 0L, last));
  std::size_t named = index;
  while (named > 0 && axis.names[named].isEmpty()) --named;
  const QString& name = axis.names[named];
  return named == index ? name : QStringLiteral("%1 + %2").arg(name).arg(index - named);
}

QString valueOn(const PlotAxis& axis, double value) {
  if (!axis.names.empty() && std::isfinite(value)) return nameOn(axis, value);
  return axis.counts ? QString::number(std::lround(value)) : valueText(value, 4);
}

}  // namespace

PlotView::PlotView(QWidget* parent)
    : QWidget(parent),
      title_(new ElidedLabel(this)),
      note_(new ElidedLabel(this)),
      canvas_(new QCustomPlot(this)),
      whole_(new QToolButton(this)) {
  canvas_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  canvas_->setAccessibleName(tr("Plot"));
  canvas_->setMouseTracking(true);
  canvas_->installEventFilter(this);
  note_->setMuted(true);
  note_->setScale(0.85);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 0, 8, 0);
  line->addWidget(title_);
  line->addWidget(note_, 1);
  line->addWidget(whole_);
  whole_->setText(tr("Show all"));
  whole_->setAccessibleName(tr("Show the whole plot"));
  setKeyTip(*whole_, tr("Shows all of the plot again, as a double click does"), "zoomReset");
  whole_->setAutoRaise(true);
  whole_->setFocusPolicy(Qt::TabFocus);
  whole_->hide();
  connect(whole_, &QToolButton::clicked, this, &PlotView::showWhole);
  for (QCPAxis* axis : {canvas_->xAxis, canvas_->yAxis}) {
    connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this, axis] { takeRange(*axis); });
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(canvas_, 1);
  setMinimumSize(narrowestView, lowestView);
}

void PlotView::setPlot(const Plot& plot) {
  if (plot == plot_) return;
  plot_ = plot;
  highlighted_ = -1;
  title_->setText(plot_.title);
  title_->setVisible(!plot_.title.isEmpty());
  note_->setText(plot_.note);
  note_->setVisible(!plot_.title.isEmpty() || !plot_.note.isEmpty());
  canvas_->setAccessibleName(plot_.title.isEmpty() ? tr("Plot") : plot_.title);
  draw();
}

void PlotView::fitHeight() {
  const FigureStyle style = screenStyle(*this);
  const double title = plot_.title.isEmpty() ? 0 : 1.5 * QFontMetricsF(style.title).height();
  const double axes = std::max(lowestAxes, fewestNumbers * QFontMetricsF(style.small).height());
  const bool onEnd = canvas_->xAxis->tickLabelRotation() != 0;
  const double needed = title + axes + heightBelowAxes(plot_.x, style, onEnd);
  setMinimumHeight(std::max(lowestView, static_cast<int>(std::ceil(needed))));
}

void PlotView::setLabelled(bool labelled) {
  if (labelled == labelled_) return;
  labelled_ = labelled;
  draw();
}

void PlotView::setWheelZooms(bool zooms) {
  wheelZooms_ = zooms;
  // If the wheel does not zoom, its events must reach the parent widget.
  canvas_->setAttribute(Qt::WA_NoMousePropagation, zooms);
}

void PlotView::showWhole() {
  draw();
}

void PlotView::takeRange(QCPAxis& axis) {
  if (drawing_) return;
  whole_->show();
  fitTitle();
  const PlotAxis& shown = &axis == canvas_->xAxis ? plot_.x : plot_.y;
  // Names stand at the same places in any range.
  if (shown.names.empty()) adaptTicks(axis, shown);
}

void PlotView::draw() {
  const FigureStyle style = screenStyle(*this);
  drawing_ = true;
  title_->setFont(style.title);
  title_->setScale(1, static_cast<QFont::Weight>(style.title.weight()));
  labels_ = preparePlot(*canvas_, plot_, style, labelled_);
  fitNames();
  drawing_ = false;
  whole_->hide();
  fitTitle();
  canvas_->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::fitNames() {
  const std::vector<QString>& names = plot_.x.names;
  if (names.empty()) {
    fitHeight();
    return;
  }
  const FigureStyle style = screenStyle(*this);
  const double labels = labelled_ ? labelsWidth(plot_, style) : 0;
  const double room = canvas_->width() - numbersWidth(style) - labels - 4 * style.gap;
  // The axis goes on beyond the first and the last name.
  const double each = namesWidth(names, false, style) / static_cast<double>(names.size());
  const bool onEnd = standOnEnd(names) || each * canvas_->xAxis->range().size() > room;
  canvas_->xAxis->setTickLabelRotation(onEnd ? -90 : 0);
  fitHeight();
}

void PlotView::fitTitle() {
  constexpr int margins = 16;
  const int button = whole_->isHidden() ? 0 : whole_->sizeHint().width() + margins;
  const int room = std::max(title_->minimumSizeHint().width(), width() - margins - button);
  title_->setMinimumWidth(std::min(title_->sizeHint().width(), room));
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitTitle();
}

void PlotView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) draw();
}

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Resize:
      fitNames();
      break;
    case QEvent::MouseMove:
      hover(static_cast<QMouseEvent*>(event)->position());
      break;
    case QEvent::Leave:
      highlight(-1);
      Q_EMIT left();
      break;
    case QEvent::MouseButtonPress:
      pressed_ = static_cast<QMouseEvent*>(event)->position();
      break;
    case QEvent::MouseButtonRelease: {
      const QPointF moved = static_cast<QMouseEvent*>(event)->position() - pressed_;
      const bool click = moved.manhattanLength() < QApplication::startDragDistance();
      if (!click || highlighted_ < 0) break;
      Q_EMIT pointChosen(highlighted_, hoveredIndex_);
      Q_EMIT curveChosen(highlighted_);
      break;
    }
    case QEvent::Wheel:
      if (wheelZooms_) break;
      event->ignore();
      return true;
    case QEvent::MouseButtonDblClick:
      draw();
      return true;
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

void PlotView::hover(const QPointF& place) {
  const auto toPlace = [this](double x, double y) {
    return QPointF(canvas_->xAxis->coordToPixel(x), canvas_->yAxis->coordToPixel(y));
  };
  auto nearest = labels_ ? labels_->endAt(place) : std::nullopt;
  if (!nearest) nearest = nearestPoint(plot_, place, reach, toPlace);
  highlight(nearest ? nearest->curve : -1);
  if (!nearest) {
    canvas_->unsetCursor();
    if (!hoverBox(place)) Q_EMIT left();
    return;
  }
  hoveredIndex_ = static_cast<int>(nearest->index);
  const PlotCurve& curve = plot_.curves[std::size_t(nearest->curve)];
  QString text = QStringLiteral("%1: (%2, %3)")
                     .arg(curve.name, valueOn(plot_.x, curve.x[nearest->index]),
                          valueOn(plot_.y, curve.y[nearest->index]));
  if (placeOf(curve, nearest->index)) {
    canvas_->setCursor(Qt::PointingHandCursor);
    text += tr(" · click to see this head");
  } else {
    canvas_->unsetCursor();
  }
  Q_EMIT hovered(text);
  Q_EMIT pointHovered(nearest->curve, hoveredIndex_);
}

bool PlotView::hoverBox(const QPointF& place) {
  const double x = canvas_->xAxis->pixelToCoord(place.x());
  if (!canvas_->axisRect()->rect().contains(place.toPoint())) return false;
  for (const PlotBox& box : plot_.boxes) {
    if (std::abs(x - box.x) > box.width / 2) continue;
    Q_EMIT hovered(tr("%1: median %2, quartiles %3 to %4, whiskers %5 to %6")
                       .arg(box.name, valueText(box.median, 4), valueText(box.quartile1, 4),
                            valueText(box.quartile3, 4), valueText(box.low, 4),
                            valueText(box.high, 4)));
    return true;
  }
  return false;
}

void PlotView::highlight(int curve) {
  if (curve == highlighted_) return;
  const auto hasLine = [this](int index) {
    return index >= 0 && plot_.curves[std::size_t(index)].line != PlotCurve::Line::None;
  };
  const bool changes = hasLine(curve) || hasLine(highlighted_);
  highlighted_ = curve;
  // Redrawing thousands of unchanged points would be too slow while the pointer moves.
  if (!changes) return;
  if (!hasLine(curve)) {
    drawCurves({}, -1);
    return;
  }
  const PlotCurve& chosen = plot_.curves[std::size_t(curve)];
  drawCurves(
      [&chosen](const PlotCurve& other) {
        return &other == &chosen || (!chosen.places.empty() && other.places == chosen.places);
      },
      curve);
}

void PlotView::emphasise(const std::function<bool(const PlotCurve&)>& kept) {
  drawCurves(kept, -1);
}

void PlotView::drawCurves(const std::function<bool(const PlotCurve&)>& kept, int bold) {
  const FigureStyle style = screenStyle(*this);
  int graph = 0;
  for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
    const PlotCurve& shown = plot_.curves[i];
    if (shown.line == PlotCurve::Line::Bars) continue;
    QCPGraph* const line = canvas_->graph(graph++);
    // Points that stand for many heads stay as they are.
    const bool isLine = shown.line != PlotCurve::Line::None;
    if (!isLine && shown.places.size() != 1) continue;
    QColor color = shown.color;
    if (kept && !kept(shown)) color.setAlphaF(paleAlpha);
    QPen pen = curvePen(shown.line, color, style);
    if (static_cast<int>(i) == bold) pen.setWidthF(pen.widthF() * 2);
    line->setPen(pen);
    if (isLine && !shown.points) continue;
    QCPScatterStyle points = line->scatterStyle();
    QPen edge = points.pen();
    edge.setColor(color);
    points.setPen(edge);
    if (points.brush().style() != Qt::NoBrush) points.setBrush(color);
    line->setScatterStyle(points);
  }
  // The bands' graphs follow, a lower and an upper edge each, which is filled.
  for (const PlotBand& band : plot_.bands) {
    const bool isKept = !kept || std::ranges::any_of(plot_.curves, [&](const PlotCurve& curve) {
      return kept(curve) && curve.color == band.color;
    });
    canvas_->graph(graph + 1)->setBrush(bandColor(band, isKept ? 1 : paleAlpha));
    graph += 2;
  }
  for (int i = 0; i < canvas_->plottableCount(); ++i) {
    auto* const bars = qobject_cast<QCPErrorBars*>(canvas_->plottable(i));
    if (!bars || !bars->dataPlottable()) continue;
    QPen pen = bars->pen();
    pen.setColor(bars->dataPlottable()->pen().color());
    bars->setPen(pen);
  }
  if (labels_) labels_->keep(kept, paleAlpha);
  canvas_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace softscope
