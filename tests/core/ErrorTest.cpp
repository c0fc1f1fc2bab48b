#include "core/Error.h"

#include <gtest/gtest.h>

#include <new>

namespace softscope {
namespace {

TEST(ErrorText, LackOfMemoryIsASentence) {
  EXPECT_EQ(sentenceOf(std::bad_alloc()), "There is not enough memory for this.");
  EXPECT_EQ(sentenceOf(std::bad_array_new_length()), "There is not enough memory for this.");
  EXPECT_EQ(sentenceOf(FileError("a.pth", "is damaged")), "a.pth: is damaged");
}

}  // namespace
}  // namespace softscope
