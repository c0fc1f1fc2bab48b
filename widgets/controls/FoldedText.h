#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QToolButton;

namespace softscope {

/// A wrapped text that takes at most a given height: the rest is folded away until the user asks
/// for it. The whole text is also its tool tip.
class FoldedText : public QWidget {
  Q_OBJECT

 public:
  explicit FoldedText(QWidget* parent = nullptr);

  void setText(const QString& text);
  QString text() const;
  /// Sets the height that the folded text may take, in pixels; two lines are always shown.
  void setFoldedHeight(int height);
  /// True if not all of the text is in sight.
  bool isFolded() const;

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fold();

  QLabel* label_;
  QToolButton* unfold_;
  int foldedHeight_ = QWIDGETSIZE_MAX;
};

}  // namespace softscope
