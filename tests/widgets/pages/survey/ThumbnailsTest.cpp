#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/survey/Thumbnails.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(Thumbnails, KeepTheLastOnesThatFit) {
  Thumbnails thumbnails;
  thumbnails.setMemory(qint64{2} * 4 * Thumbnails::side * Thumbnails::side);
  QSignalSpy ready(&thumbnails, &Thumbnails::ready);
  QStringList paths;
  for (const char* name : {"a.png", "b.png", "c.png"}) {
    paths += QString::fromStdString(test::writeTestPicture(32, 32, name));
    EXPECT_TRUE(thumbnails.get(paths.back()).isNull()) << "not read yet";
    ASSERT_TRUE(QTest::qWaitFor([&] { return ready.count() == paths.size(); }));
  }
  EXPECT_FALSE(thumbnails.get(paths[1]).isNull());
  EXPECT_FALSE(thumbnails.get(paths[2]).isNull());
  thumbnails.setMemory(0);
  EXPECT_FALSE(thumbnails.get(paths[2]).isNull()) << "one is always kept";
  EXPECT_TRUE(thumbnails.get(paths[1]).isNull());
  EXPECT_TRUE(thumbnails.get(paths[0]).isNull());
}

}  // namespace
}  // namespace softscope
