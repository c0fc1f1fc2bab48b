#include "widgets/pages/survey/SurveyGallery.h"

#include "core/survey/TransformJson.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/Theme.h"
#include "widgets/pages/survey/SurveyPlace.h"
#include "widgets/paint/ValueText.h"

#include <QtGui/QGuiApplication>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QListView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

/// Centres the image in a square, so that all are aligned.
QPixmap squared(const QImage& image) {
  QPixmap pixmap(Thumbnails::side, Thumbnails::side);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.drawImage((Thumbnails::side - image.width()) / 2, (Thumbnails::side - image.height()) / 2,
                    image);
  return pixmap;
}

/// Returns a placeholder for a picture that is being decoded or cannot be read.
QPixmap emptyThumbnail(bool failed) {
  QPixmap pixmap(Thumbnails::side, Thumbnails::side);
  const QPalette palette = QGuiApplication::palette();
  pixmap.fill(palette.color(QPalette::AlternateBase));
  if (!failed) return pixmap;
  QPainter painter(&pixmap);
  painter.setPen(mutedText(palette));
  painter.drawText(pixmap.rect(), Qt::AlignCenter | Qt::TextWordWrap,
                   GalleryItems::tr("not there, or no picture"));
  return pixmap;
}

constexpr int itemPadding = 10;

std::vector<SurveyPoint> evenlyChosen(const std::vector<SurveyPoint>& points) {
  std::vector<SurveyPoint> chosen;
  for (std::size_t i = 0; i < SurveyGallery::mostShown; ++i) {
    chosen.push_back(points[i * points.size() / SurveyGallery::mostShown]);
  }
  return chosen;
}

}  // namespace

GalleryItems::GalleryItems(QObject* parent) : QAbstractListModel(parent) {
  connect(&thumbnails_, &Thumbnails::ready, this, &GalleryItems::showReady);
}

void GalleryItems::setPoints(std::shared_ptr<const SurveyView> view,
                             std::vector<SurveyPoint> points) {
  beginResetModel();
  thumbnails_.forgetRequests();
  view_ = std::move(view);
  points_ = std::move(points);
  endResetModel();
}

int GalleryItems::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(points_.size());
}

QString GalleryItems::pathOf(int row) const {
  const SurveyAnswer& answer = view_->answer;
  const SurveyPoint& of = point(row);
  return QString::fromStdString(surveyPlace(answer, answer.series[of.series], of.index).picture);
}

QPixmap GalleryItems::thumbnailOf(int row) const {
  const SurveyAnswer& answer = view_->answer;
  const SurveyPoint& of = point(row);
  const SurveyPlace place = surveyPlace(answer, answer.series[of.series], of.index);
  const QString path = QString::fromStdString(place.picture);
  const PictureReading reading = surveyedInput(place.transform).reading;
  const QImage image = thumbnails_.get(path, reading);
  return image.isNull() ? emptyThumbnail(thumbnails_.failed(path, reading)) : squared(image);
}

QVariant GalleryItems::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !view_) return {};
  const SurveyAnswer& answer = view_->answer;
  const SurveyPoint& of = point(index.row());
  const SurveySeries& series = answer.series[of.series];
  switch (role) {
    case Qt::DecorationRole:
      return thumbnailOf(index.row());
    case Qt::DisplayRole:
      return valueText(series.values.values[of.index], 4);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return QString::fromStdString(surveyPlaceText(answer, series, of.index));
    default:
      return {};
  }
}

void GalleryItems::showReady(const QString& path) {
  for (int row = 0; row < rowCount(); ++row) {
    if (pathOf(row) == path) Q_EMIT dataChanged(index(row), index(row), {Qt::DecorationRole});
  }
}

SurveyGallery::SurveyGallery(QWidget* parent)
    : QWidget(parent),
      title_(new ElidedLabel(this)),
      close_(new QToolButton(this)),
      list_(new QListView(this)),
      items_(new GalleryItems(this)) {
  setAccessibleName(tr("Pictures"));
  close_->setText(QStringLiteral("×"));
  close_->setAutoRaise(true);
  close_->setAccessibleName(tr("Close the pictures"));
  close_->setToolTip(tr("Close the pictures"));
  list_->setAccessibleName(tr("Pictures"));
  list_->setViewMode(QListView::IconMode);
  list_->setMovement(QListView::Static);
  list_->setResizeMode(QListView::Adjust);
  list_->setUniformItemSizes(true);
  list_->setIconSize({Thumbnails::side, Thumbnails::side});
  list_->setGridSize({Thumbnails::side + itemPadding,
                      Thumbnails::side + itemPadding + list_->fontMetrics().height() + 4});
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setModel(items_);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(14, 4, 8, 0);
  line->addWidget(title_, 1);
  line->addWidget(close_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(list_, 1);
  setMinimumHeight(Thumbnails::side + 2 * itemPadding + 3 * list_->fontMetrics().height());
  const auto point = [this](const QModelIndex& index) { return items_->point(index.row()); };
  connect(list_, &QListView::clicked, this,
          [this, point](const QModelIndex& index) { Q_EMIT chosen(point(index)); });
  connect(list_, &QListView::entered, this,
          [this, point](const QModelIndex& index) { Q_EMIT hovered(point(index)); });
  connect(close_, &QToolButton::clicked, this, &SurveyGallery::closed);
}

void SurveyGallery::setMemory(qint64 bytes) {
  items_->setMemory(bytes);
}

void SurveyGallery::setPoints(std::shared_ptr<const SurveyView> view,
                              std::vector<SurveyPoint> points, const QString& title) {
  QString text = title;
  if (points.size() > mostShown) {
    text += tr(" · %1 of %L2, evenly chosen").arg(mostShown).arg(points.size());
    points = evenlyChosen(points);
  }
  title_->setText(text);
  items_->setPoints(std::move(view), std::move(points));
  list_->scrollToTop();
}

QString SurveyGallery::title() const {
  return title_->text();
}

}  // namespace softscope
