#pragma once

#include "core/inspect/Inspection.h"

#include <QtWidgets/QWidget>

#include <vector>

namespace softscope {

/// Lists the most probable classes, as many as there is room for, each with a bar proportional to
/// its probability, or one line that says why there are none. The only class of a network has its
/// logit instead. A click on a class, or Enter at the one that the arrow keys have come to, asks
/// what speaks for it.
class PredictionList : public QWidget {
  Q_OBJECT

 public:
  struct Line {
    QString name;
    Prediction prediction;
  };

  explicit PredictionList(QWidget* parent = nullptr);

  void setLines(std::vector<Line> lines);
  void setMessage(const QString& message);
  const std::vector<Line>& lines() const { return lines_; }
  /// Returns the number of lines that there is room for.
  int shownLines() const;
  const QString& message() const { return message_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void chosen(int classIndex);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void describe();
  /// Returns true if the network has but one class.
  bool isOnlyClass() const;
  static QString onlyClassText();
  int lineHeight() const;
  void choose(int line);
  /// Returns the line that the keys have come to, among those that are shown.
  int keyLine() const;
  void setKeyLine(int line);
  QRect placeOf(int line) const;
  void paintLine(QPainter& painter, const QRect& place, const Line& line) const;

  std::vector<Line> lines_;
  QString message_;
  int keyLine_ = 0;
};

}  // namespace softscope
