#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QPushButton;

namespace softscope {

/// Stands where there is nothing to show yet, and says what to do about it.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(QWidget* parent = nullptr);

  void setTexts(const QString& title, const QString& advice);
  /// Which ways out are offered.
  void setOffers(bool picture, bool model, bool runAgain, bool ownPicture = false);
  QString title() const;

 Q_SIGNALS:
  void pictureWanted();
  void modelWanted();
  void runWanted();
  void ownPictureWanted();

 private:
  QPushButton* offer(const QString& text);

  QLabel* title_;
  QLabel* advice_;
  QPushButton* picture_;
  QPushButton* model_;
  QPushButton* run_;
  QPushButton* own_;
};

}  // namespace softscope
