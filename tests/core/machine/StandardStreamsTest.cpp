#include "core/machine/StandardStreams.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace softscope {
namespace {

/// As a library writes, not by way of Softscope.
void printFromLibrary(const char* text) {
  std::fputs(text, stderr);
  std::fflush(stderr);
}

TEST(StandardError, TakesOurLinesAloneWhileLibrariesAreSilenced) {
  testing::internal::CaptureStderr();
  {
    const SilentStandardError silence;
    printFromLibrary("libpng error\n");
    writeStandardError("1 of 2 pictures\n");
  }
  printFromLibrary("after\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "1 of 2 pictures\nafter\n");
}

TEST(StandardError, IsSilentUntilTheLastThatNeedsIt) {
  testing::internal::CaptureStderr();
  auto first = std::make_unique<SilentStandardError>();
  const auto second = std::make_unique<SilentStandardError>();
  first.reset();
  printFromLibrary("libpng error\n");
  writeStandardError("ours\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "ours\n");
}

}  // namespace
}  // namespace softscope
