#pragma once

#include "widgets/paint/MatchPanel.h"
#include "widgets/views/PanelGrid.h"

#include <vector>

namespace softscope {

class MatchView;

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
