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
  /// Adds a message with a button, `offer`, for what can be done about it.
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
