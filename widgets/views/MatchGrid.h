#pragma once

#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/MatchPanel.h"
#include "widgets/views/PanelGrid.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace softscope {

/// Shows two pictures with lines between patches that match, drawn by the same painter as in
/// figures. A click on the left picture asks about that place.
class MatchView : public QWidget {
  Q_OBJECT

 public:
  explicit MatchView(QWidget* parent = nullptr);

  void setPanel(MatchPanel panel);
  const MatchPanel& panel() const { return panel_; }
  /// Returns the rectangle of the left picture in this widget.
  QRectF leftRect() const;

 Q_SIGNALS:
  /// The left button was pressed at `place`, in fractions of what the network saw of the left
  /// picture, or moved there while it was down.
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  HeadPanelLayout parts() const;
  std::optional<QPointF> fractionAt(const QPointF& place) const;

  MatchPanel panel_;
};

/// Shows pairs of pictures with their matches in a grid, as large as possible.
class MatchGrid : public PanelGrid {
  Q_OBJECT

 public:
  explicit MatchGrid(QWidget* parent = nullptr);

  void setPanels(std::vector<MatchPanel> panels);
  int count() const { return static_cast<int>(views_.size()); }
  MatchView& view(int index) const { return *views_[static_cast<std::size_t>(index)]; }
  void clear() { setPanels({}); }

 Q_SIGNALS:
  /// The signals of MatchView, for any panel.
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);

 protected:
  Shape shape() const override;
  void place(int index, const QRect& place, bool fits) override;

 private:
  void makeViews(std::size_t count);

  std::vector<MatchView*> views_;
  double aspect_ = 1;
};

}  // namespace softscope
