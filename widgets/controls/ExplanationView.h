#pragma once

#include <QtWidgets/QFrame>

class QLabel;
class QScrollArea;
class QToolButton;

namespace softscope {

/// Says what a page shows, above it, to those who have read no paper; it stays until it is closed.
class ExplanationView : public QFrame {
  Q_OBJECT

 public:
  explicit ExplanationView(QWidget* parent = nullptr);

  /// As rich text. It scrolls where it would take more than half of the room.
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
