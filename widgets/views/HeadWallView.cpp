#include "widgets/views/HeadWallView.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/Theme.h"
#include "widgets/paint/PanelText.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int wallMargin = 12;
constexpr double thumbnailGap = 3;
constexpr double smallestThumbnail = 8;
/// Below this width a head's number would cover too much of it.
constexpr double numberedThumbnail = 30;
constexpr double queryDot = 4;

/// Returns the layers' names without what all of them end with, if they stay different.
QStringList shortened(const std::vector<HeadThumbnails>& rows) {
  QStringList names;
  QStringList whole;
  for (const HeadThumbnails& row : rows) {
    whole += row.layer;
    names += shortLayerName(row.layer);
  }
  QStringList distinct = names;
  return distinct.removeDuplicates() == 0 ? names : whole;
}

}  // namespace

HeadWallView::HeadWallView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("All heads"));
  setAccessibleDescription(
      tr("What every head of every layer attends to. Arrow keys step the query one patch; a click "
         "enlarges a head."));
}

void HeadWallView::setRows(std::vector<HeadThumbnails> rows, double aspect) {
  const bool sameLayers =
      std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                 [](const auto& a, const auto& b) { return a.layer == b.layer; });
  rows_ = std::move(rows);
  aspect_ = aspect;
  if (!sameLayers) shortNames_ = shortened(rows_);
  update();
}

void HeadWallView::setChosenLayer(int layer) {
  if (layer == chosenLayer_) return;
  chosenLayer_ = layer;
  update();
}

void HeadWallView::setCloser(QWidget* panel) {
  closer_ = panel;
  closer_->setParent(this);
  closer_->hide();
}

bool HeadWallView::showsCloser() const {
  return closer_ && !closer_->isHidden();
}

HeadWallView::Parts HeadWallView::parts() const {
  Parts parts;
  const QFontMetricsF small(screenStyle(*this).small);
  for (const QString& name : shortNames_) {
    parts.names = std::max(parts.names, small.horizontalAdvance(name));
  }
  parts.names = std::min(parts.names, width() / 4.0) + wallMargin / 2.0;
  std::size_t heads = 1;
  for (const HeadThumbnails& row : rows_) heads = std::max(heads, row.heads.size());
  const auto layers = static_cast<double>(std::max<std::size_t>(1, rows_.size()));
  const double across = (width() - 2 * wallMargin - parts.names) / static_cast<double>(heads);
  const double down = (height() - 2 * wallMargin) / layers;
  const double cell =
      std::max(smallestThumbnail, std::min(across - thumbnailGap, (down - thumbnailGap) * aspect_));
  parts.cell = {cell, cell / aspect_};
  parts.top =
      std::max<double>(wallMargin, (height() - layers * (parts.cell.height() + thumbnailGap)) / 2);
  return parts;
}

QRectF HeadWallView::thumbnailRect(int layer, int index) const {
  const Parts all = parts();
  return {wallMargin + all.names + index * (all.cell.width() + thumbnailGap),
          all.top + layer * (all.cell.height() + thumbnailGap), all.cell.width(),
          all.cell.height()};
}

std::optional<WallPlace> HeadWallView::placeAt(const QPointF& at) const {
  if (rows_.empty()) return std::nullopt;
  const Parts all = parts();
  const double x = at.x() - wallMargin - all.names;
  const double y = at.y() - all.top;
  if (x < 0 || y < 0) return std::nullopt;
  WallPlace place;
  place.layer = static_cast<int>(y / (all.cell.height() + thumbnailGap));
  place.index = static_cast<int>(x / (all.cell.width() + thumbnailGap));
  if (place.layer >= static_cast<int>(rows_.size())) return std::nullopt;
  const auto& heads = rows_[static_cast<std::size_t>(place.layer)].heads;
  if (place.index >= static_cast<int>(heads.size())) return std::nullopt;
  const QRectF rect = thumbnailRect(place.layer, place.index);
  if (!rect.contains(at)) return std::nullopt;
  place.at = {(at.x() - rect.left()) / rect.width(), (at.y() - rect.top()) / rect.height()};
  return place;
}

void HeadWallView::paintRow(QPainter& painter, const Parts& all, int layer) const {
  const HeadThumbnails& row = rows_[static_cast<std::size_t>(layer)];
  const FigureStyle style = screenStyle(*this);
  const QFontMetricsF small(style.small);
  const double pitch = all.cell.width() + thumbnailGap;
  QRectF cell(wallMargin + all.names, all.top + layer * (all.cell.height() + thumbnailGap),
              all.cell.width(), all.cell.height());
  painter.setPen(layer == chosenLayer_ ? style.text : style.muted);
  painter.setFont(style.small);
  const QRectF name(wallMargin, cell.top(), all.names - wallMargin / 2.0, cell.height());
  const bool everyName = cell.height() + thumbnailGap >= 0.8 * small.height();
  if (everyName || layer % 5 == 0) {
    painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     small.elidedText(shortNames_[layer], Qt::ElideMiddle, name.width()));
  }
  for (const HeadThumbnail& head : row.heads) {
    const bool shrinks = head.image.width() > cell.width();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, shrinks);
    painter.setOpacity(head.strength);
    painter.drawImage(cell, head.image);
    painter.setOpacity(1);
    if (head.query) {
      const QPointF at(cell.left() + head.query->x() * cell.width(),
                       cell.top() + head.query->y() * cell.height());
      const QRectF dot(at.x() - queryDot / 2, at.y() - queryDot / 2, queryDot, queryDot);
      painter.fillRect(dot, Qt::black);
      painter.fillRect(dot.adjusted(1, 1, -1, -1), Qt::white);
    }
    cell.translate(pitch, 0);
  }
}

void HeadWallView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Parts all = parts();
  for (int layer = 0; layer < static_cast<int>(rows_.size()); ++layer) {
    paintRow(painter, all, layer);
  }
  if (showsCloser()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(closer_->geometry()).adjusted(-2, -2, 2, 2));
  }
  if (!under_) return;
  const QRectF rect = thumbnailRect(under_->layer, under_->index);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect.adjusted(-1, -1, 1, 1));
  if (rect.width() < numberedThumbnail) return;
  const auto& heads = rows_[static_cast<std::size_t>(under_->layer)].heads;
  const QString number = QString::number(heads[static_cast<std::size_t>(under_->index)].head);
  const QFontMetricsF metrics(font());
  const QRectF label(rect.left(), rect.top(), metrics.horizontalAdvance(number) + 6,
                     metrics.height());
  painter.fillRect(label, palette().color(QPalette::Highlight));
  painter.setPen(palette().color(QPalette::HighlightedText));
  painter.drawText(label, Qt::AlignCenter, number);
}

void HeadWallView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto place = placeAt(event->position());
  if (showsCloser()) {
    Q_EMIT closeWanted();
  } else if (place) {
    Q_EMIT chosen(place->layer, place->index);
  }
}

void HeadWallView::mouseMoveEvent(QMouseEvent* event) {
  const auto before = under_;
  under_ = placeAt(event->position());
  setCursor(under_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
  const bool moved = before.has_value() != under_.has_value() ||
                     (before && (before->layer != under_->layer || before->index != under_->index));
  if (moved) update();
  if (under_) {
    Q_EMIT hovered(*under_);
  } else {
    Q_EMIT left();
  }
}

void HeadWallView::leaveEvent(QEvent*) {
  under_.reset();
  update();
  Q_EMIT left();
}

bool HeadWallView::event(QEvent* event) {
  // Esc closes what is shown large, before it means anything to the window.
  if (event->type() == QEvent::ShortcutOverride && showsCloser() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void HeadWallView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && showsCloser()) {
    Q_EMIT closeWanted();
  } else if (const auto step = arrowStep(*event)) {
    Q_EMIT stepped(step->rows, step->columns);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void HeadWallView::resizeEvent(QResizeEvent*) {
  if (!closer_) return;
  constexpr double shown = 0.8;
  const QSize size(static_cast<int>(width() * shown), static_cast<int>(height() * shown));
  closer_->setGeometry(
      QRect(QPoint((width() - size.width()) / 2, (height() - size.height()) / 2), size));
}

}  // namespace softscope
