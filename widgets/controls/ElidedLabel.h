#pragma once

#include <QtCore/QStringList>
#include <QtWidgets/QWidget>

namespace softscope {

/// A line of text that is shortened if it does not fit; the full text is then its tool tip.
class ElidedLabel : public QWidget {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);

  void setText(const QString& text);
  const QString& text() const { return text_; }
  void setElideMode(Qt::TextElideMode mode);
  /// Sets texts that other labels show before and after this one: where it is shortened, what tells
  /// it from them stays.
  void setBeside(const QStringList& before, const QStringList& after);
  /// Returns the text as it is drawn.
  QString shownText() const;
  /// Shows the text in a less prominent colour.
  void setMuted(bool muted);
  /// Sets the size of the text as a multiple of the window's font size, and the weight of the
  /// text's font.
  void setScale(double scale, QFont::Weight weight = QFont::Normal);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QFont shownFont() const;
  void showWholeIfShortened();

  QString text_;
  QStringList before_;
  QStringList after_;
  Qt::TextElideMode mode_ = Qt::ElideRight;
  bool muted_ = false;
  double scale_ = 1;
  QFont::Weight weight_ = QFont::Normal;
};

}  // namespace softscope
