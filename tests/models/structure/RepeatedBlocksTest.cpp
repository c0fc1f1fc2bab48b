#include "models/OpenModel.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A network whose blocks have these numbers.
Checkpoint withBlocks(const std::vector<int>& numbers) {
  const Checkpoint own = test::plainNetwork({}, {});
  const std::string first = "units.0.";
  Checkpoint numbered = own;
  numbered.state = {};
  for (const StateDict::Entry& entry : own.state.entries()) {
    if (!entry.name.starts_with("units.")) numbered.state.insert(entry.name, entry.tensor);
    if (!entry.name.starts_with(first)) continue;
    for (const int number : numbers) {
      numbered.state.insert(
          "units." + std::to_string(number) + "." + entry.name.substr(first.size()), entry.tensor);
    }
  }
  return numbered;
}

TEST(RepeatedBlocks, AGapAmongThemIsRefused) {
  EXPECT_THAT(test::refusalOfParts(withBlocks({0, 1, 3, 4})),
              AllOf(HasSubstr("no tensor of 'units.2'"), HasSubstr("missing in the file")));
  EXPECT_EQ(test::refusalOfParts(withBlocks({0, 1, 2, 3})), "");
}

TEST(RepeatedBlocks, ThoseThatMayBeMissingAreADoubt) {
  for (const std::vector<int>& numbers : {std::vector<int>{2, 3, 4}, {0, 2, 4}, {0, 2}}) {
    EXPECT_THAT(test::doubtsOf(identifyModel(withBlocks(numbers))), Contains("layers"));
  }
  for (const std::vector<int>& numbers : {std::vector<int>{1, 2, 3}, {0, 1, 2}}) {
    EXPECT_THAT(test::doubtsOf(identifyModel(withBlocks(numbers))), Not(Contains("layers")));
  }
  Checkpoint told = withBlocks({2, 3, 4});
  told.metadata = {{"config.depth", "3"}};
  EXPECT_THAT(test::doubtsOf(identifyModel(told)), Not(Contains("layers")));
}

}  // namespace
}  // namespace softscope
