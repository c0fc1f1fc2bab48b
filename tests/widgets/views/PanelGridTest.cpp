#include "widgets/views/PanelGrid.h"

#include <QtTest/QTest>
#include <QtWidgets/QScrollArea>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Panels that only remember how often they were placed.
class CountedPanels : public PanelGrid {
 public:
  CountedPanels() : PanelGrid(QStringLiteral("Panels"), 120) {}

  int placed = 0;
  int panels = 0;

 protected:
  Shape shape() const override { return {panels, 1.5, 40}; }
  void place(int, const QRect&, bool) override { ++placed; }
};

TEST(PanelGrid, SettlesAtEverySize) {
  CountedPanels grid;
  grid.show();
  for (const int panels : {1, 3, 4, 6}) {
    grid.panels = panels;
    for (int width = 150; width < 700; width += 10) {
      for (int height = 120; height < 520; height += 3) {
        grid.placed = 0;
        grid.resize(width, height);
        QCoreApplication::processEvents();
        // The size itself, the viewport's, and once more for a scroll bar that comes or goes.
        ASSERT_LE(grid.placed, 4 * panels) << width << " x " << height;
      }
    }
  }
}

}  // namespace
}  // namespace softscope
