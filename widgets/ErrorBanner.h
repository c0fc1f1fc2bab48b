#pragma once

#include <QtWidgets/QFrame>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace softscope {

/// What went wrong, until it is dismissed; never in the way of anything else.
class ErrorBanner : public QFrame {
  Q_OBJECT

 public:
  explicit ErrorBanner(QWidget* parent = nullptr);

  /// Adds to what is shown already. Offers Details where they say more than the message.
  void showError(const QString& message, const QString& details);
  void dismiss();
  QString message() const;

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* message_;
  QPushButton* more_;
  QToolButton* close_;
  QPlainTextEdit* details_;
};

}  // namespace softscope
