#pragma once

#include "widgets/pages/survey/SurveyView.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QListView;
class QToolButton;

namespace softscope {

class ElidedLabel;
class GalleryItems;

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
