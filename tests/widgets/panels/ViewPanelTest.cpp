#include "widgets/panels/ViewPanel.h"

#include <QtTest/QSignalSpy>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ViewPanel, OffersAChannelWhereALayerHasSome) {
  ViewPanel panel;
  auto* channel = panel.findChild<QSpinBox*>();
  ASSERT_NE(channel, nullptr);
  EXPECT_TRUE(channel->isHidden());
  panel.setChannels({}, 384);
  EXPECT_FALSE(channel->isHidden());
  EXPECT_EQ(channel->maximum(), 383);
  EXPECT_EQ(channel->text(), QStringLiteral("Mean"));
  QSignalSpy chosen(&panel, &ViewPanel::channelChosen);
  channel->setValue(5);
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(chosen.front().front().value<ChannelSettings>().channel, 5);
  panel.setChannels({.channel = 7}, 4);
  EXPECT_EQ(channel->value(), 7);
  EXPECT_EQ(chosen.size(), 1);
}

TEST(ViewPanel, SaysSoWherePagesDrawNoMaps) {
  ViewPanel panel;
  panel.show();
  const auto* opacity = panel.findChild<QSlider*>();
  ASSERT_NE(opacity, nullptr);
  EXPECT_TRUE(opacity->isVisible());
  const QSize before = panel.sizeHint();
  panel.setDrawsMaps(false);
  EXPECT_FALSE(opacity->isVisible());
  EXPECT_EQ(panel.sizeHint(), before) << "other panels stay where they are";
  panel.setDrawsMaps(true);
  EXPECT_TRUE(opacity->isVisible());
}

}  // namespace
}  // namespace softscope
