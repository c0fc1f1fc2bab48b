#pragma once

#include "widgets/pages/survey/SurveyLook.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QListView;
class QToolButton;

namespace softscope {

class ElidedLabel;
class GalleryItems;

/// The pictures of some values of a survey, small, in a strip; a click on one asks to look at it.
class SurveyGallery : public QWidget {
  Q_OBJECT

 public:
  /// Of more values than this some are shown, evenly chosen.
  static constexpr std::size_t mostShown = 300;

  explicit SurveyGallery(QWidget* parent = nullptr);

  /// `title` says what they are.
  void setPoints(std::shared_ptr<const SurveyLook> look, std::vector<SurveyPoint> points,
                 const QString& title);
  /// What the small pictures may take, in bytes.
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
