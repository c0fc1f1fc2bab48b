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
  panel.setFollowed({});
  EXPECT_FALSE(opacity->isVisible());
  EXPECT_EQ(panel.sizeHint(), before) << "other panels stay where they are";
  panel.setFollowed(FollowedView{});
  EXPECT_TRUE(opacity->isVisible());
}

TEST(ViewPanel, EnablesWhatThePageFollows) {
  ViewPanel panel;
  const auto control = [&panel](const QString& name) {
    for (QWidget* widget : panel.findChildren<QWidget*>()) {
      if (widget->accessibleName() == name) return widget;
    }
    return static_cast<QWidget*>(nullptr);
  };
  const QStringList names{QStringLiteral("Colours"),
                          QStringLiteral("Opacity"),
                          QStringLiteral("Opacity follows value"),
                          QStringLiteral("Smooth"),
                          QStringLiteral("Magnitudes"),
                          QStringLiteral("Mean of heads")};
  const auto enabled = [&] {
    QStringList found;
    for (const QString& name : names) {
      if (control(name)->isEnabled()) found += name;
    }
    return found;
  };
  for (const QString& name : names) ASSERT_NE(control(name), nullptr) << name.toStdString();
  panel.setFollowed(FollowedView{.overHeads = true});
  EXPECT_EQ(enabled(), names);
  panel.setFollowed(FollowedView{.onPicture = false, .smooth = false});
  EXPECT_EQ(enabled(), QStringList({names[0], names[4]}));
  panel.setFollowed(FollowedView{.values = false, .signs = false});
  EXPECT_EQ(enabled(), QStringList({names[1], names[3]}));
}

}  // namespace
}  // namespace softscope
