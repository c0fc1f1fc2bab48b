#pragma once

#include "widgets/pages/survey/SurveyView.h"
#include "widgets/pages/survey/Thumbnails.h"

#include <QtCore/QAbstractListModel>
#include <QtGui/QPixmap>

#include <memory>
#include <vector>

namespace softscope {

/// The pictures of a gallery, decoded when they are first shown.
class GalleryItems : public QAbstractListModel {
  Q_OBJECT

 public:
  explicit GalleryItems(QObject* parent = nullptr);

  void setPoints(std::shared_ptr<const SurveyView> view, std::vector<SurveyPoint> points);
  const SurveyPoint& point(int row) const { return points_[static_cast<std::size_t>(row)]; }

  /// Sets the memory that thumbnails may take, in bytes.
  void setMemory(qint64 bytes) { thumbnails_.setMemory(bytes); }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  QString pathOf(int row) const;
  /// Returns the picture as the survey read it, or what stands in its place.
  QPixmap thumbnailOf(int row) const;
  void showReady(const QString& path);

  std::shared_ptr<const SurveyView> view_;
  std::vector<SurveyPoint> points_;
  mutable Thumbnails thumbnails_;
};

}  // namespace softscope
