#include "app/window/live/ModelSeries.h"
#include "core/Error.h"

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

TEST(ModelSeries, AStepThatIsSentAgainCountsOnce) {
  ModelSeries series(QStringLiteral("run"), 100);
  for (int i = 0; i < 5; ++i) series.add({10, std::string(60, 'a')});
  series.add({20, std::string(40, 'b')});
  EXPECT_THROW(series.add({30, "c"}), FileError);
  EXPECT_THROW(series.add({10, std::string(61, 'a')}), FileError);
  // A smaller one makes room.
  series.add({10, std::string(59, 'a')});
  series.add({30, "c"});
  EXPECT_EQ(series.steps(), (std::vector<std::int64_t>{10, 20, 30}));
}

}  // namespace
}  // namespace softscope
