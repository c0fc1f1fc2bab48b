#pragma once

#include <QtWidgets/QWidget>

class QScrollArea;
class QVBoxLayout;

namespace softscope {

/// Panels of one shape, side by side, as large as the window allows; where they would become too
/// small to read it scrolls.
class PanelGrid : public QWidget {
  Q_OBJECT

 public:
  /// `narrowest` is the width in pixels under which a panel's image is not made smaller.
  PanelGrid(const QString& name, int narrowest, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// An arrow key.
  void stepped(int rows, int columns);

 protected:
  struct Shape {
    /// 0 where there is nothing to arrange.
    int count = 0;
    /// Width over height of a panel's image.
    double aspect = 1;
    /// Height of a panel beyond its image.
    int overhead = 0;
  };
  virtual Shape shape() const = 0;
  /// Where panel `index` goes; `fits` says that nothing scrolls, so that the wheel is free.
  virtual void place(int index, const QRect& place, bool fits) = 0;

  void arrange();
  /// What scrolls: the panels' parent.
  QWidget* canvas() { return canvas_; }
  /// Puts a widget under the panels, out of what scrolls.
  void addBelow(QWidget* widget);

  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QScrollArea* scroll_;
  QWidget* canvas_;
  QVBoxLayout* column_;
  int narrowest_ = 0;
  /// Whether keys, rather than a click, brought the focus here: then a frame says where it is.
  bool framed_ = false;
};

/// How panels of one shape fill a rectangle.
struct GridArrangement {
  int columns = 1;
  /// Width of a panel's image.
  int width = 1;
  /// Height of a whole panel.
  int height = 1;
};

/// The arrangement with the largest images in which `count` panels fit into `room`; if those would
/// be narrower than `narrowest`, one that is taller than the room. `overhead` is a panel's height
/// beyond its image.
GridArrangement arrangeGrid(int count, QSize room, double aspect, int overhead, int gap,
                            int narrowest);

}  // namespace softscope
