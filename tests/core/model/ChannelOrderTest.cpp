#include "core/model/InputTransform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ChannelOrder, ExchangesRedAndBlue) {
  const InputTensor reversed = withChannelsReversed({1, 2, {1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(reversed.height, 1);
  EXPECT_EQ(reversed.width, 2);
  EXPECT_THAT(reversed.values, testing::ElementsAre(5, 6, 3, 4, 1, 2));
}

TEST(ChannelOrder, IsThatOfThePublishedNetwork) {
  EXPECT_TRUE(takesBlueFirst("mobilevit"));
  EXPECT_FALSE(takesBlueFirst("vit"));
}

}  // namespace
}  // namespace softscope
