#pragma once

#include <QtWidgets/QFrame>

class QLabel;
class QScrollArea;
class QToolButton;

namespace softscope {

/// Explains above a page what it shows, for users who have not read the papers; it stays until it
/// is closed.
class ExplanationView : public QFrame {
  Q_OBJECT

 public:
  explicit ExplanationView(QWidget* parent = nullptr);

  /// Sets the explanation as rich text. It scrolls if it would take more than half of the available
  /// height.
  void setText(const QString& text);
  QString text() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, 60}; }

 Q_SIGNALS:
  void closed();

 protected:
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLabel* text_;
  QScrollArea* scroll_;
  QToolButton* close_;
};

}  // namespace softscope
