#pragma once

#include "widgets/pages/survey/SurveyView.h"
#include "widgets/pages/survey/Thumbnails.h"

#include <QtCore/QAbstractListModel>
#include <QtGui/QPixmap>
#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QListView;
class QToolButton;

namespace softscope {

class ElidedLabel;

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

/// Shows thumbnails of the pictures of some values of a survey in a strip; a click asks to look at
/// one.
class SurveyGallery : public QWidget {
  Q_OBJECT

 public:
  /// If there are more values than this, an evenly chosen selection is shown.
  static constexpr std::size_t mostShown = 300;

  explicit SurveyGallery(QWidget* parent = nullptr);

  /// Shows the pictures of `points`; `title` describes them.
  void setPoints(std::shared_ptr<const SurveyView> view, std::vector<SurveyPoint> points,
                 const QString& title);
  /// Sets the memory that thumbnails may take, in bytes.
  void setMemory(qint64 bytes);
  QListView& list() { return *list_; }
  QString title() const;

 Q_SIGNALS:
  void chosen(const softscope::SurveyPoint& point);
  void hovered(const softscope::SurveyPoint& point);
  void closed();

 private:
  ElidedLabel* title_;
  QToolButton* close_;
  QListView* list_;
  GalleryItems* items_;
};

}  // namespace softscope
