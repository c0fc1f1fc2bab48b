#include "widgets/controls/NameText.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(Shortened, KeepsBothEndsOfALongName) {
  EXPECT_EQ(shortened(QStringLiteral("soft.pth")), QStringLiteral("soft.pth"));
  const QString name = QString(200, u'a') + QStringLiteral("_epoch_5.pth");
  const QString shown = shortened(name);
  EXPECT_EQ(shown.size(), 60);
  EXPECT_TRUE(shown.startsWith(QStringLiteral("aaaa")));
  EXPECT_TRUE(shown.endsWith(QStringLiteral("_epoch_5.pth")));
}

}  // namespace
}  // namespace softscope
