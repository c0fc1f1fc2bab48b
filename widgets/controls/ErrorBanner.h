#pragma once

#include <QtWidgets/QFrame>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace softscope {

/// Shows what went wrong until the user dismisses it, without blocking the rest of the window.
class ErrorBanner : public QFrame {
  Q_OBJECT

 public:
  explicit ErrorBanner(QWidget* parent = nullptr);

  /// Adds a message to those already shown. Offers a Details button if `details` says more than the
  /// message.
  void showError(const QString& message, const QString& details);
  /// Adds a message with a button, labelled `offer`, that does something about the problem.
  void showOffer(const QString& message, const QString& details, const QString& offer);
  void dismiss();
  QString message() const;

 Q_SIGNALS:
  void offerTaken();

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* message_;
  QPushButton* offer_;
  QPushButton* more_;
  QToolButton* close_;
  QPlainTextEdit* details_;
};

}  // namespace softscope
