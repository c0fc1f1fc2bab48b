#include "core/Error.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/SweepPlan.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(SweepPlan, NeedsALayerThatIsShown) {
  Workspace workspace{test::syntheticEngine()};
  const auto settle = [&workspace] {
    ASSERT_TRUE(QTest::qWaitFor([&] { return !workspace.worker().isBusy(); }));
  };
  EXPECT_THROW(sweepPlan(workspace, {}, {}), InspectionError);
  ModelRequest request;
  request.path = "soft.pth";
  workspace.queue().open(request);
  settle();
  EXPECT_THROW(sweepPlan(workspace, {}, {}), InspectionError) << "it has not seen a picture";
  workspace.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  EXPECT_EQ(sweepPlan(workspace, {}, {}).layers.size(), 3u);
}

}  // namespace
}  // namespace softscope
