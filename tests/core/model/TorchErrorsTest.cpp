#include "core/model/TorchErrors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string messageOf(const std::function<void()>& work) {
  try {
    withReadableErrors("the forward pass", work);
  } catch (const InspectionError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TorchErrors, LackOfMemorySaysWhatToDo) {
  const std::string message = messageOf([] { torch::empty({std::int64_t{1} << 50}); });
  EXPECT_EQ(message, "the forward pass: not enough memory; choose a smaller input size");
}

TEST(TorchErrors, OthersKeepTheirMessageWithoutTheBacktrace) {
  const std::string message = messageOf([] {
    at::matmul(torch::zeros({2, 3}), torch::zeros({4, 5}));
  });
  EXPECT_THAT(message, StartsWith("the forward pass: "));
  EXPECT_THAT(message, HasSubstr("2x3"));
  EXPECT_THAT(message, Not(HasSubstr("frame #")));
}

TEST(TorchErrors, ResultsAndOurOwnErrorsPass) {
  EXPECT_EQ(withReadableErrors("x", [] { return 7; }), 7);
  EXPECT_THROW(withReadableErrors("x", [] { throw Cancelled(); }), Cancelled);
}

}  // namespace
}  // namespace softscope
