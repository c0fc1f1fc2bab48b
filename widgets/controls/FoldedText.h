#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QToolButton;

namespace softscope {

/// A wrapped text that takes at most a given height: the rest is folded away, with an ellipsis in
/// its place, until the user asks for it. The whole text is also its tool tip.
class FoldedText : public QWidget {
  Q_OBJECT

 public:
  explicit FoldedText(QWidget* parent = nullptr);

  void setText(const QString& text);
  /// Returns the whole text.
  const QString& text() const { return text_; }
  /// Returns the part that is in sight.
  QString shownText() const;
  /// Sets the height that the folded text may take, in pixels; two lines are always shown.
  void setFoldedHeight(int height);
  /// True if not all of the text is in sight.
  bool isFolded() const;
  /// Depends on nothing but the width, so that a page that scrolls settles.
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Returns the number of lines that may be shown.
  int mostLines() const;
  void fold();
  /// Folds the text where its height may have changed as well.
  void foldAnew();

  QString text_;
  QLabel* label_;
  QToolButton* unfold_;
  int foldedHeight_ = QWIDGETSIZE_MAX;
};

}  // namespace softscope
