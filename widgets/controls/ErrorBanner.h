#pragma once

#include <QtCore/QStringList>
#include <QtWidgets/QFrame>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace softscope {

/// Shows what went wrong last, until the user dismisses it or something later succeeds. It lies
/// over the lower edge of its parent, so that what is under the pointer stays where it is.
class ErrorBanner : public QFrame {
  Q_OBJECT

 public:
  explicit ErrorBanner(QWidget* parent = nullptr);

  /// Shows a message in place of an earlier one. Offers a Details button if `details` say more than
  /// the message. Errors of one piece of work, such as of several files that were opened together,
  /// are counted, and all are in the details.
  void showError(const QString& message, const QString& details);
  /// Shows a message with a button, labelled `offer`, that does something about the problem. Later
  /// errors of the same piece of work are counted behind it.
  void showOffer(const QString& message, const QString& details, const QString& offer);
  void dismiss();
  /// Tells whether work is going on: an error in it does not end before the work does.
  void setBusy(bool busy);
  /// Dismisses an error of work that had ended before, because something has succeeded since. An
  /// offer stays.
  void noteSuccess();
  QString message() const;

 Q_SIGNALS:
  void offerTaken();

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void place();

  QLabel* message_;
  QPushButton* offer_;
  QPushButton* more_;
  QToolButton* close_;
  QPlainTextEdit* details_;
  /// The messages of the present piece of work.
  QStringList messages_;
  bool isBusy_ = false;
  /// True once the work that the error belongs to has ended.
  bool isPast_ = false;
};

}  // namespace softscope
