#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/query/ValueRange.h"
#include "widgets/views/PanelGrid.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

namespace softscope {

struct ColorMap;

/// A colour bar shared by panels with one common range.
class ColorBarView : public QWidget {
  Q_OBJECT

 public:
  explicit ColorBarView(QWidget* parent = nullptr);
  void setRange(const ValueRange& range, const ColorMap& colors);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ValueRange range_;
  const ColorMap* colors_ = nullptr;
};

class HeadPanelView;

/// A grid of panels with the heads of a layer, or other maps, on one picture.
class HeadGrid : public PanelGrid {
  Q_OBJECT

 public:
  explicit HeadGrid(QWidget* parent = nullptr);

  /// Shows one panel per head. Panels without a colour bar of their own share one below the grid.
  void setPanels(std::vector<HeadPanel> panels, std::shared_ptr<const CroppedPicture> picture);
  /// Shows panels each of which lies on a picture of its own; the first gives all their shape.
  void setPanels(std::vector<HeadPanel> panels,
                 const std::vector<std::shared_ptr<const CroppedPicture>>& pictures);
  int count() const { return static_cast<int>(views_.size()); }
  const HeadPanelView& view(int index) const { return *views_[std::size_t(index)]; }
  HeadPanelView& view(int index) { return *views_[std::size_t(index)]; }
  void clear() { setPanels({}, nullptr); }
  const std::shared_ptr<const CroppedPicture>& picture() const { return picture_; }
  /// Returns the numbers that panel `index` draws, row-major.
  const Vector& displayedValues(int index) const;

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {180, 180}; }

 Q_SIGNALS:
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  void pinned(const QPointF& place);
  /// The user double-clicked a panel; `asked` is true if the first click emitted pressed().
  void chosen(int index, bool asked);
  void zoomed(double factor, const QPointF& about);
  void panned(const QPointF& by);
  void hovered(int index, int row, int column);
  void left();
  /// The user asked for a menu at `place`, given in the panel's view.
  void menuWanted(int index, const QPoint& globalPlace, const QPointF& place);

 protected:
  Shape shape() const override;
  void place(int index, const QRect& place, bool fits) override;

 private:
  void makeViews(std::size_t count);

  ColorBarView* sharedBar_;
  std::vector<HeadPanelView*> views_;
  std::shared_ptr<const CroppedPicture> picture_;
  bool ownBars_ = true;
};

}  // namespace softscope
