#include "core/files/Base64.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(Base64, PadsWhatIsNoWholeGroup) {
  // RFC 4648, Section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

TEST(Base64, JoinsTheGroupsOfLongInput) {
  const std::string text = base64(std::string((std::size_t{3} << 20) + 3, '\0'));
  EXPECT_EQ(text, std::string((std::size_t{4} << 20) + 4, 'A'));
}

}  // namespace
}  // namespace softscope
