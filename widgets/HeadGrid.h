#pragma once

#include "widgets/figure/HeadPanel.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QScrollArea;

namespace softscope {

class ColorBarView;
class HeadPanelView;

/// The heads of a layer, side by side, as large as the window allows; where they would become too
/// small to read it scrolls.
class HeadGrid : public QWidget {
  Q_OBJECT

 public:
  explicit HeadGrid(QWidget* parent = nullptr);

  /// One panel per head. Panels without a colour bar of their own share one below.
  void setPanels(std::vector<HeadPanel> panels, std::shared_ptr<const CroppedPicture> picture);
  int count() const { return static_cast<int>(views_.size()); }
  const HeadPanelView& view(int index) const { return *views_[std::size_t(index)]; }
  HeadPanelView& view(int index) { return *views_[std::size_t(index)]; }
  /// The numbers that panel `index` draws, row-major.
  const Vector& displayedValues(int index) const;

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {180, 180}; }

 Q_SIGNALS:
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  void pinned(const QPointF& place);
  void zoomed(double factor, const QPointF& about);
  void panned(const QPointF& by);
  void stepped(int rows, int columns);
  void hovered(int index, int row, int column);
  void left();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeViews(std::size_t count);
  void arrange();

  QScrollArea* scroll_;
  QWidget* canvas_;
  ColorBarView* sharedBar_;
  std::vector<HeadPanelView*> views_;
  std::shared_ptr<const CroppedPicture> picture_;
  bool ownBars_ = true;
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
