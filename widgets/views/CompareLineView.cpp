#include "widgets/views/CompareLineView.h"

#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/Theme.h"
#include "widgets/paint/PanelText.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelGrid.h"

#include <QtCore/QEvent>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr int lineMargin = 12;
constexpr int lineGap = 10;
/// The dot in the model's colour before its name.
constexpr int dotSize = 10;
constexpr int dotGap = 5;
constexpr int lineStripe = 3;
constexpr int closeSize = 20;
constexpr int headerWidth = 196;
constexpr int widestBar = 320;

/// In a line narrower than this, in pixels, the header takes two lines, and what is said about the
/// model becomes its tool tip.
constexpr int narrowestRow = 2 * headerWidth + 4 * lineMargin;

}  // namespace

CompareLineView::CompareLineView(QWidget* parent)
    : QWidget(parent),
      name_(new ElidedLabel(this)),
      about_(new ElidedLabel(this)),
      prediction_(new ElidedLabel(this)),
      layer_(new QComboBox(this)),
      close_(new QToolButton(this)),
      message_(new ElidedLabel(this)),
      sharedBar_(new ColorBarView(this)) {
  name_->setScale(1, QFont::DemiBold);
  name_->setElideMode(Qt::ElideMiddle);
  about_->setMuted(true);
  about_->setScale(0.9);
  prediction_->setScale(0.9);
  message_->setMuted(true);
  layer_->setAccessibleName(tr("Layer"));
  layer_->setToolTip(tr("The layer of this model"));
  layer_->setFocusPolicy(Qt::TabFocus);
  close_->setAutoRaise(true);
  close_->setFocusPolicy(Qt::TabFocus);
  close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  connect(layer_, &QComboBox::activated, this,
          [this](int index) { Q_EMIT layerChosen(layer_->itemData(index).toString()); });
  connect(close_, &QToolButton::clicked, this, &CompareLineView::closed);
}

void CompareLineView::setHeader(const CompareLineHeader& header) {
  header_ = header;
  name_->setText(header.name);
  name_->setBeside(header.namesAbove, header.namesBelow);
  about_->setText(header.about);
  prediction_->setText(header.prediction);
  message_->setText(header.message);
  setAccessibleName(header.name);
  const bool isModel = !header.layers.isEmpty();
  QStringList shown;
  for (int i = 0; i < layer_->count(); ++i) shown += layer_->itemData(i).toString();
  if (shown != header.layers) {
    layer_->clear();
    const QStringList names = shortLayerNames(header.layers);
    for (int i = 0; i < names.size(); ++i) layer_->addItem(names[i], header.layers[i]);
  }
  layer_->setCurrentIndex(static_cast<int>(header.layers.indexOf(header.layer)));
  layer_->setVisible(isModel);
  close_->setVisible(!header.closes.isEmpty());
  close_->setAccessibleName(header.closes);
  close_->setToolTip(close_->accessibleName());
  update();
}

void CompareLineView::setLine(const ComparedLine* line,
                              std::shared_ptr<const CroppedPicture> picture) {
  picture_ = std::move(picture);
  makeViews(line ? line->panels.size() + 1 : 0);
  ownBars_ = !line || !line->sharedBar || line->panels.empty();
  sharedBar_->setVisible(!ownBars_);
  message_->setVisible(!line);
  if (!line) return;
  if (!ownBars_)
    sharedBar_->setRange(line->panels.front().range, *line->panels.front().heat.colors);
  views_.front()->setPanel(line->picturePanel, picture_);
  for (std::size_t i = 0; i < line->panels.size(); ++i) {
    views_[i + 1]->setPanel(line->panels[i], picture_);
  }
}

void CompareLineView::makeViews(std::size_t count) {
  resizeViews(views_, count, [this](int index) {
    auto* view = new HeadPanelView(this);
    view->setWheelZooms(false);
    connect(view, &HeadPanelView::pressed, this, &CompareLineView::pressed);
    connect(view, &HeadPanelView::dragged, this, &CompareLineView::dragged);
    connect(view, &HeadPanelView::pinned, this, &CompareLineView::pinned);
    connect(view, &HeadPanelView::zoomed, this, &CompareLineView::zoomed);
    connect(view, &HeadPanelView::panned, this, &CompareLineView::panned);
    connect(view, &HeadPanelView::left, this, &CompareLineView::left);
    connect(view, &HeadPanelView::menuWanted, this,
            [this, index](const QPoint& globalPlace, const QPointF& at) {
              Q_EMIT menuWanted(index, globalPlace, at);
            });
    connect(view, &HeadPanelView::hovered, this,
            [this, index](int row, int column) { Q_EMIT hovered(index, row, column); });
    view->show();
    return view;
  });
}

std::vector<CompareLineView::HeaderPlace> CompareLineView::headerPlaces(int width) {
  if (width <= narrowestRow) return {HeaderPlace::Above};
  return {HeaderPlace::Left, HeaderPlace::Above};
}

int CompareLineView::panelRoom(int width, HeaderPlace header) {
  const int taken = header == HeaderPlace::Left ? headerWidth : lineStripe + 5;
  return std::max(1, width - 2 * lineMargin - taken);
}

void CompareLineView::showHeader(bool shown) {
  const bool isModel = !header_.layers.isEmpty();
  for (QWidget* part : {static_cast<QWidget*>(name_), static_cast<QWidget*>(about_)}) {
    part->setVisible(shown);
  }
  prediction_->setVisible(shown && !header_.prediction.isEmpty());
  layer_->setVisible(shown && isModel);
  close_->setVisible(shown && !header_.closes.isEmpty());
}

void CompareLineView::placeHeader(int left, int right) {
  int top = lineGap;
  const auto put = [&](QWidget* widget, int cut = 0) {
    const int height = widget->sizeHint().height();
    widget->setGeometry(left, top, std::max(1, right - left - cut), height);
    top += height + 2;
  };
  const bool isModel = !header_.layers.isEmpty();
  close_->setGeometry(right - closeSize, lineGap - 2, closeSize, closeSize);
  put(name_, header_.closes.isEmpty() ? 0 : closeSize + 2);
  if (header_.color.isValid()) {
    name_->setGeometry(name_->geometry().adjusted(dotSize + dotGap, 0, 0, 0));
  }
  put(about_);
  if (isModel) put(layer_);
  if (!header_.prediction.isEmpty()) put(prediction_);
}

int CompareLineView::headerHeight() const {
  int height = 2 * lineGap;
  for (const QWidget* part : headerParts()) height += part->sizeHint().height() + 2;
  return height;
}

int CompareLineView::narrowHeaderHeight() const {
  int second = 0;
  if (!header_.layers.isEmpty()) second = layer_->sizeHint().height();
  if (!header_.prediction.isEmpty()) second = std::max(second, prediction_->sizeHint().height());
  return 2 * lineGap + name_->sizeHint().height() + 2 + second;
}

void CompareLineView::placeNarrowHeader(int left, int right) {
  close_->setGeometry(right - closeSize, lineGap - 2, closeSize, closeSize);
  const int name = left + (header_.color.isValid() ? dotSize + dotGap : 0);
  const int end = header_.closes.isEmpty() ? right : right - closeSize - 2;
  name_->setGeometry(name, lineGap, std::max(1, end - name), name_->sizeHint().height());
  const int top = name_->geometry().bottom() + 3;
  const int height = narrowHeaderHeight() - lineGap - top;
  const int layer =
      header_.layers.isEmpty() ? 0 : std::min(layer_->sizeHint().width(), (right - left) / 2);
  layer_->setGeometry(left, top, std::max(1, layer), layer_->sizeHint().height());
  const int beside = left + (layer > 0 ? layer + lineGap : 0);
  prediction_->setGeometry(beside, top, std::max(1, right - beside), height);
}

int CompareLineView::headerRowHeight() const {
  int height = closeSize;
  for (const QWidget* part : headerParts()) height = std::max(height, part->sizeHint().height());
  return 2 * lineGap + height;
}

std::vector<QWidget*> CompareLineView::headerParts() const {
  std::vector<QWidget*> parts{name_, about_};
  if (!header_.layers.isEmpty()) parts.push_back(layer_);
  if (!header_.prediction.isEmpty()) parts.push_back(prediction_);
  return parts;
}

void CompareLineView::placeHeaderInRow(int left, int right) {
  const int middle = headerRowHeight() / 2;
  const auto put = [&](QWidget* part, int from, int width) {
    const int height = part->sizeHint().height();
    part->setGeometry(from, middle - height / 2, std::max(1, width), height);
  };
  const auto putRight = [&](QWidget* part, int most) {
    const int width = std::min(part->sizeHint().width(), most);
    right -= width;
    put(part, right, width);
    right -= lineGap;
  };
  if (!header_.closes.isEmpty()) {
    close_->setGeometry(right - closeSize, middle - closeSize / 2, closeSize, closeSize);
    right -= closeSize + lineGap;
  }
  // A difference has no layers to choose from, and says more.
  const bool isModel = !header_.layers.isEmpty();
  if (isModel) putRight(layer_, headerWidth);
  if (!header_.prediction.isEmpty()) {
    putRight(prediction_, isModel ? headerWidth : std::max(headerWidth, (right - left) * 2 / 3));
  }
  if (header_.color.isValid()) left += dotSize + dotGap;
  const int name = std::min(name_->sizeHint().width(), (right - left) * 2 / 3);
  put(name_, left, name);
  put(about_, left + name + lineGap, right - left - name - lineGap);
}

QSize CompareLineView::arrangeCell(const Cell& cell) {
  isCell_ = true;
  const int left = cell.showsPicture ? lineMargin + cell.panelWidth + lineGap : 0;
  showHeader(cell.headerHeight > 0);
  placeHeader(left, left + cell.panelWidth);
  const double aspect = picture_ ? picture_->aspect() : 1;
  const int overhead = static_cast<int>(std::ceil(headPanelOverhead(screenStyle(*this), ownBars_)));
  const int height = static_cast<int>(std::ceil(cell.panelWidth / aspect)) + overhead;
  const int top = cell.headerHeight > 0 ? cell.headerHeight : lineGap;
  views_[0]->setVisible(cell.showsPicture);
  views_[0]->setGeometry(lineMargin, top, cell.panelWidth, height);
  views_[1]->setGeometry(left, top, cell.panelWidth, height);
  int bottom = top + height + lineGap;
  if (!ownBars_) {
    const int bar = sharedBar_->sizeHint().height();
    sharedBar_->setGeometry(left, bottom - lineGap / 2, cell.panelWidth, bar);
    bottom += bar;
  }
  update();
  return {left + cell.panelWidth, bottom};
}

CompareLineView::Places CompareLineView::placesOf(int width, int panelWidth,
                                                  HeaderPlace header) const {
  const bool beside = header == HeaderPlace::Left;
  const int room = panelRoom(width, header);
  Places places;
  places.headerBottom = beside                  ? headerHeight()
                        : width <= narrowestRow ? narrowHeaderHeight()
                                                : headerRowHeight();
  places.panelLeft = width - lineMargin - room;
  places.panelTop = beside ? lineGap : places.headerBottom;
  if (views_.empty()) {
    const int message = message_->sizeHint().height() + lineGap;
    places.bottom = std::max(places.headerBottom, places.panelTop + message);
    return places;
  }
  const double aspect = picture_ ? picture_->aspect() : 1;
  const int overhead = static_cast<int>(std::ceil(headPanelOverhead(screenStyle(*this), ownBars_)));
  places.panelHeight = static_cast<int>(std::ceil(panelWidth / aspect)) + overhead;
  places.columns = std::max(1, (room + lineGap) / (panelWidth + lineGap));
  const int rows = (panelCount() + places.columns - 1) / places.columns;
  const int bottom = places.panelTop + rows * (places.panelHeight + lineGap);
  places.barTop = bottom - lineGap / 2;
  places.bottom =
      std::max(places.headerBottom, ownBars_ ? bottom : bottom + sharedBar_->sizeHint().height());
  return places;
}

int CompareLineView::arrangedHeight(int width, int panelWidth, HeaderPlace header) const {
  return placesOf(width, panelWidth, header).bottom;
}

void CompareLineView::arrange(int width, int panelWidth, HeaderPlace header) {
  if (isCell_) {
    isCell_ = false;
    showHeader(true);
    if (!views_.empty()) views_.front()->show();
  }
  const int left = lineMargin + lineStripe + 5;
  const bool isNarrow = header == HeaderPlace::Above && width <= narrowestRow;
  about_->setVisible(!isNarrow);
  setToolTip(isNarrow ? header_.about : QString());
  if (header == HeaderPlace::Left) {
    placeHeader(left, headerWidth);
  } else if (isNarrow) {
    placeNarrowHeader(left, width - lineMargin);
  } else {
    placeHeaderInRow(left, width - lineMargin);
  }
  const Places places = placesOf(width, panelWidth, header);
  const int room = panelRoom(width, header);
  message_->setGeometry(places.panelLeft, places.panelTop, room, message_->sizeHint().height());
  for (int i = 0; i < panelCount(); ++i) {
    view(i).setGeometry(places.panelLeft + (i % places.columns) * (panelWidth + lineGap),
                        places.panelTop + (i / places.columns) * (places.panelHeight + lineGap),
                        panelWidth, places.panelHeight);
  }
  sharedBar_->setGeometry(places.panelLeft, places.barTop, std::min(room, widestBar),
                          sharedBar_->sizeHint().height());
}

void CompareLineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (header_.color.isValid() && name_->isVisible()) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(header_.color);
    const QRect name = name_->geometry();
    painter.drawEllipse(QRect(name.left() - dotSize - dotGap, name.center().y() - dotSize / 2 + 1,
                              dotSize, dotSize));
    painter.restore();
  }
  if (isCell_) {
    if (!header_.current || !name_->isVisible()) return;
    painter.fillRect(
        QRect(name_->x(), lineGap / 2 - lineStripe / 2, name_->parentWidget()->width(), lineStripe),
        palette().color(QPalette::Highlight));
    return;
  }
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawLine(lineMargin, height() - 1, width() - lineMargin, height() - 1);
  if (!header_.current) return;
  painter.fillRect(QRect(lineMargin, lineGap, lineStripe, std::max(1, height() - 2 * lineGap)),
                   palette().color(QPalette::Highlight));
}

void CompareLineView::contextMenuEvent(QContextMenuEvent* event) {
  const auto* under = qobject_cast<const HeadPanelView*>(childAt(event->pos()));
  if (!under && !header_.closes.isEmpty()) Q_EMIT headerMenuWanted(event->globalPos());
}

void CompareLineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT chosen();
}

void CompareLineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  }
  QWidget::changeEvent(event);
}

}  // namespace softscope
