#include "tests/app/window/BundledWindow.h"

#include <QtCore/QEvent>
#include <QtGui/QImage>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QScrollBar>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace softscope {
namespace {

/// Side of the squares that are empty or not, in pixels.
constexpr int square = 8;

/// Returns, for each square of the picture from its upper left corner, whether it is of one colour.
std::vector<std::vector<bool>> emptySquares(const QImage& image, QRgb ground) {
  std::vector<std::vector<bool>> empty;
  for (int top = 0; top + square <= image.height(); top += square) {
    auto& row = empty.emplace_back();
    for (int left = 0; left + square <= image.width(); left += square) {
      bool isEmpty = true;
      for (int y = top; y < top + square && isEmpty; ++y) {
        for (int x = left; x < left + square && isEmpty; ++x) {
          isEmpty = image.pixel(x, y) == ground;
        }
      }
      row.push_back(isEmpty);
    }
  }
  return empty;
}

/// Returns the number of squares of the largest empty rectangle.
int largestEmptyRectangle(const std::vector<std::vector<bool>>& empty) {
  std::vector<int> heights(empty.front().size());
  int largest = 0;
  for (const auto& row : empty) {
    for (std::size_t i = 0; i < row.size(); ++i) heights[i] = row[i] ? heights[i] + 1 : 0;
    for (std::size_t left = 0; left < heights.size(); ++left) {
      int height = heights[left];
      for (std::size_t right = left; right < heights.size() && height > 0; ++right) {
        height = std::min(height, heights[right]);
        largest = std::max(largest, height * static_cast<int>(right - left + 1));
      }
    }
  }
  return largest;
}

class PageSpaceTest : public test::BundledWindow {
 protected:
  PageSpaceTest() : BundledWindow({"soft_norm_pooled_everyday10", "softmax_everyday10"}) {}
  /// The largest empty rectangle of the page in front, as a share of the page.
  double emptyShare() {
    const QImage image = page()->grab().toImage();
    const auto empty = emptySquares(image, page()->palette().color(QPalette::Window).rgb());
    return double(largestEmptyRectangle(empty)) / double(empty.size() * empty.front().size());
  }
};

TEST(EmptyRectangle, IsTheLargest) {
  QImage image(80, 40, QImage::Format_RGB32);
  image.fill(Qt::white);
  EXPECT_EQ(largestEmptyRectangle(emptySquares(image, qRgb(255, 255, 255))), 50);
  image.setPixel(20, 20, qRgb(0, 0, 0));
  EXPECT_EQ(largestEmptyRectangle(emptySquares(image, qRgb(255, 255, 255))), 35);
  EXPECT_EQ(largestEmptyRectangle(emptySquares(image, qRgb(1, 2, 3))), 0);
}

TEST_F(PageSpaceTest, PagesOfMapsAndTablesUseTheirSpace) {
  constexpr double most = 1.0 / 3;
  for (const QSize size : {QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)}) {
    window_->resize(size);
    for (const char* page : {"heads", "compare", "overview", "saliency", "rollout", "tokens",
                             "matrix", "share", "models"}) {
      window_->workspace().setPage(QLatin1String(page));
      settle();
      EXPECT_LT(emptyShare(), most) << page << " in " << size.width() << " x " << size.height();
    }
  }
}

/// Returns true if the area shows a bar with which its content is scrolled downwards.
bool isScrolled(const QAbstractScrollArea& area) {
  const QScrollBar* bar = area.verticalScrollBar();
  return bar->isVisible() && bar->maximum() > bar->minimum();
}

TEST_F(PageSpaceTest, NothingScrollsWithinWhatScrolls) {
  for (const QSize size : {QSize(640, 470), QSize(800, 600), QSize(1280, 800)}) {
    window_->resize(size);
    for (const char* page :
         {"heads", "compare", "overview", "saliency", "rollout", "tokens", "matrix", "spectrum",
          "sinks", "bottleneck", "norms", "deletion", "share", "models"}) {
      window_->workspace().setPage(QLatin1String(page));
      settle();
      for (const auto* area : this->page()->findChildren<QAbstractScrollArea*>()) {
        if (!area->isVisible() || !isScrolled(*area)) continue;
        for (const QWidget* around = area->parentWidget(); around != nullptr;
             around = around->parentWidget()) {
          const auto* outer = dynamic_cast<const QAbstractScrollArea*>(around);
          EXPECT_FALSE(outer != nullptr && isScrolled(*outer))
              << page << " in " << size.width() << " x " << size.height();
        }
      }
    }
  }
}

/// Counts how often anything in the program is resized.
class ResizeCount : public QObject {
 public:
  ResizeCount() { QCoreApplication::instance()->installEventFilter(this); }
  int count = 0;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    count += event->type() == QEvent::Resize ? 1 : 0;
    return false;
  }
};

TEST_F(PageSpaceTest, PagesSettleAtAnySize) {
  ResizeCount resized;
  // Deletion and Share show results as these come, which moves what is below.
  for (const char* page : {"heads", "compare", "overview", "saliency", "rollout", "tokens",
                           "matrix", "spectrum", "sinks", "bottleneck", "norms", "models"}) {
    window_->workspace().setPage(QLatin1String(page));
    settle();
    for (int width = 640; width < 1700; width += 149) {
      for (int height = 470; height < 1100; height += 53) {
        window_->resize(width, height);
        for (int i = 0; i < 8; ++i) QCoreApplication::processEvents();
        resized.count = 0;
        for (int i = 0; i < 4; ++i) QCoreApplication::processEvents();
        EXPECT_EQ(resized.count, 0) << page << " in " << width << " x " << height;
      }
    }
  }
}

}  // namespace
}  // namespace softscope
