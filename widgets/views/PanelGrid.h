#pragma once

#include <QtWidgets/QWidget>

#include <cstddef>
#include <vector>

class QScrollArea;
class QVBoxLayout;

namespace softscope {

/// The way in which panels of equal shape fill a rectangle.
struct GridArrangement {
  int columns = 1;
  /// Width of a panel's image.
  int width = 1;
  /// Height of a whole panel.
  int height = 1;
};

/// Arranges panels of equal shape in a grid, as large as the window allows; scrolls if they would
/// become too small to read.
class PanelGrid : public QWidget {
  Q_OBJECT

 public:
  /// `narrowest` is the smallest width of a panel's image, in pixels.
  PanelGrid(const QString& name, int narrowest, QWidget* parent = nullptr);

  /// Returns the height that the panels take if they are given `room`, which is at most its height.
  int heightIn(const QSize& room) const;
  /// Returns the height below which the panels do not fit into that width; 0 without panels.
  int leastHeight(int width) const;

 Q_SIGNALS:
  /// The user pressed an arrow key.
  void stepped(int rows, int columns);

 protected:
  struct Shape {
    /// Number of panels; 0 if there is nothing to arrange.
    int count = 0;
    /// Width over height of a panel's image.
    double aspect = 1;
    /// Height of a panel in addition to its image.
    int overhead = 0;
  };
  virtual Shape shape() const = 0;
  /// Puts panel `index` in its place; `fits` is true if nothing scrolls, so that the wheel is free
  /// for zooming.
  virtual void place(int index, const QRect& place, bool fits) = 0;

  void arrange();
  /// Returns the widget that scrolls, which is the panels' parent.
  QWidget* canvas() { return canvas_; }
  /// Adds a widget below the panels, outside the scrolling area.
  void addBelow(QWidget* widget);

  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// Returns how panels fill `room`, margins included.
  GridArrangement arranged(const Shape& panels, const QSize& room) const;
  /// Returns the height of arranged panels with the margins around them.
  static int heightOf(const Shape& panels, const GridArrangement& grid);

  QScrollArea* scroll_;
  QWidget* canvas_;
  QVBoxLayout* column_;
  int narrowest_ = 0;
  /// True if the focus came by keyboard rather than by a click; a frame then shows it.
  bool framed_ = false;
};

/// Returns the arrangement with the largest images for which `count` panels fit into `room`, or one
/// with nearly as large images that fills more of the room; if these would be narrower than
/// `narrowest`, one that is taller than the room. `overhead` is a panel's height in addition to its
/// image.
GridArrangement arrangeGrid(int count, QSize room, double aspect, int overhead, int gap,
                            int narrowest);

/// Brings `views` to `count` views: deletes the last ones, or appends what `make(index)` returns.
template <typename View, typename Make>
void resizeViews(std::vector<View*>& views, std::size_t count, Make make) {
  while (views.size() > count) {
    // The view may be the sender of the signal being handled, so it is deleted later.
    views.back()->hide();
    views.back()->deleteLater();
    views.pop_back();
  }
  while (views.size() < count) views.push_back(make(static_cast<int>(views.size())));
}

}  // namespace softscope
