#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QPushButton;

namespace softscope {

/// Shown while there is nothing else to show yet; says what to do about it.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(QWidget* parent = nullptr);

  void setTexts(const QString& title, const QString& advice);
  /// Sets which buttons are offered as ways out.
  void setOffers(bool picture, bool model, bool runAgain, bool ownPicture = false,
                 bool pair = false);
  QString title() const;

 Q_SIGNALS:
  void pictureWanted();
  void modelWanted();
  void runWanted();
  void ownPictureWanted();
  /// The user asked for SOFT and SOFT++ side by side.
  void pairWanted();

 private:
  QPushButton* offer(const QString& text);

  QLabel* title_;
  QLabel* advice_;
  QPushButton* picture_;
  QPushButton* model_;
  QPushButton* run_;
  QPushButton* own_;
  QPushButton* pair_;
};

}  // namespace softscope
