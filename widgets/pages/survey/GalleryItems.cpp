#include "widgets/pages/survey/GalleryItems.h"

#include "core/survey/TransformJson.h"
#include "widgets/controls/Theme.h"
#include "widgets/pages/survey/SurveyPlace.h"
#include "widgets/paint/ValueText.h"

#include <QtGui/QGuiApplication>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>

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

}  // namespace softscope
