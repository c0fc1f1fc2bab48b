#include "core/text/Names.h"

#include <gmock/gmock.h>

namespace softscope {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> numbersOf(const NumberedNames& names) {
  std::vector<std::int64_t> numbers;
  for (const auto& member : names.members) numbers.push_back(member.number);
  return numbers;
}

TEST(NumberedNames, AreInTheOrderOfTheirNumbers) {
  const auto groups = groupByNumber({"epoch_10", "epoch_9", "epoch_100"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].shared, "epoch_*");
  EXPECT_THAT(numbersOf(groups[0]), ElementsAre(9, 10, 100));
  EXPECT_EQ(groups[0].members[0].index, 1u);
  EXPECT_TRUE(groups[0].isSeries());
}

TEST(NumberedNames, TheFirstNumberThatDiffersCounts) {
  const auto groups = groupByNumber({"vit16_e2_acc91.5.pth", "vit16_e10_acc90.1.pth"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].shared, "vit16_e*_acc*.*.pth");
  EXPECT_THAT(numbersOf(groups[0]), ElementsAre(2, 10));
}

TEST(NumberedNames, AStepCountsBeforeAnEpoch) {
  const auto groups = groupByNumber({"epoch=1-step=100", "epoch=2-step=200", "epoch=3-step=300"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].shared, "epoch=*-step=*") << "the first's step is not that of all";
  EXPECT_THAT(numbersOf(groups[0]), ElementsAre(100, 200, 300));
  const auto unclear = groupByNumber({"epoch=1-step=100", "epoch=2-step=100", "epoch=3-step=300"});
  EXPECT_THAT(numbersOf(unclear[0]), ElementsAre(1, 2, 3)) << "two have one step";
  EXPECT_TRUE(unclear[0].isSeries());
}

TEST(NumberedNames, OtherWordsStandApart) {
  const auto groups = groupByNumber({"soft_2", "best", "sima_1", "soft_1", "last"});
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].shared, "best");
  EXPECT_FALSE(groups[0].isSeries());
  EXPECT_FALSE(groups[2].isSeries()) << "sima_1 is alone";
  EXPECT_EQ(groups[3].shared, "soft_*");
  EXPECT_TRUE(groups[3].isSeries());
}

TEST(NumberedNames, FoldersStandApartUnlessTheyAreWhatIsNumbered) {
  const auto runs = groupByNumber({"run1/epoch_1", "run2/epoch_1", "run1/epoch_2", "run2/epoch_2"});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].shared, "run1/epoch_*");
  EXPECT_EQ(runs[1].shared, "run2/epoch_*");
  EXPECT_THAT(numbersOf(runs[1]), ElementsAre(1, 2));
  EXPECT_EQ(runs[1].members[1].index, 3u);
  EXPECT_TRUE(runs[0].isSeries());
  const auto steps = groupByNumber({"checkpoint-500/model", "checkpoint-1000/model"});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].shared, "checkpoint-*/model");
  EXPECT_THAT(numbersOf(steps[0]), ElementsAre(500, 1000));
}

TEST(NumberedNames, OfOneNumberAreNoSeries) {
  const auto groups = groupByNumber({"e1", "e01", "e2"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_FALSE(groups[0].isSeries());
  EXPECT_FALSE(groupByNumber({"a", "a"})[0].isSeries());
  EXPECT_TRUE(groupByNumber({}).empty());
}

TEST(NumberedNames, LongRunsOfDigitsAreText) {
  const auto groups = groupByNumber({"99999999999999999999_1", "99999999999999999999_2"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(numbersOf(groups[0]), ElementsAre(1, 2));
  EXPECT_EQ(groupByNumber({"99999999999999999998", "99999999999999999999"}).size(), 2u);
}

}  // namespace
}  // namespace softscope
