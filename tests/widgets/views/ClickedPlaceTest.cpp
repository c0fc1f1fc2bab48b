#include "widgets/views/PanelPlace.h"
#include "widgets/views/PictureView.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <optional>

namespace softscope {
namespace {

TEST(ClickedPlaceTest, APlaceOnAMapIsAPatchAndNoClassToken) {
  PictureExtent extent;
  extent.width = 200;
  extent.height = 100;
  extent.region = {50, 0, 100, 100};
  const PictureQuery query = queryInRegion(extent, {0.5, 0.25});
  EXPECT_DOUBLE_EQ(query.x, 0.5);
  EXPECT_DOUBLE_EQ(query.y, 0.25);
  EXPECT_EQ(query.prefixToken, std::nullopt);
}

TEST(ClickedPlaceTest, AClickOnThePictureAsksAPatchAndNoClassToken) {
  PictureView view;
  view.resize(200, 100);
  QImage picture(200, 100, QImage::Format_RGB32);
  picture.fill(Qt::gray);
  view.setPicture(picture);
  PictureExtent extent;
  extent.width = 200;
  extent.height = 100;
  extent.region = {0, 0, 200, 100};
  view.setGrid(extent, TokenGrid{7, 7});
  view.show();
  std::optional<PictureQuery> asked;
  QObject::connect(&view, &PictureView::pressed,
                   [&asked](const PictureQuery& query) { asked = query; });
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.placeOf({.x = 0.75, .y = 0.5}).toPoint());
  ASSERT_TRUE(asked);
  EXPECT_NEAR(asked->x, 0.75, 0.02);
  EXPECT_NEAR(asked->y, 0.5, 0.02);
  EXPECT_EQ(asked->prefixToken, std::nullopt);
}

}  // namespace
}  // namespace softscope
