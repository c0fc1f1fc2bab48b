#include "core/interactive/InteractiveFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t countOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(InteractiveFileTest, ThePolicyAllowsWhatThePageHoldsAndNothingElse) {
  const std::string page = interactiveText({{"models", nlohmann::json::array()}});
  EXPECT_EQ(countOf(page, "http-equiv=\"Content-Security-Policy\""), 1u);
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("; style-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("; img-src data:; base-uri 'none'; form-action 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  // One with the data, one that runs.
  EXPECT_EQ(countOf(page, "<script"), 2u);
  EXPECT_EQ(countOf(page, "</script>"), 2u);
}

TEST(InteractiveFileTest, NamesCannotLeaveTheirElement) {
  const std::string name = "</script><script>alert(1)</script><!-- {{script}} & \xff \xe2\x80\xa8";
  const std::string page = interactiveText({{"name", name}});
  EXPECT_EQ(countOf(page, "<script"), 2u);
  EXPECT_EQ(countOf(page, "</script>"), 2u);
  EXPECT_THAT(page, Not(HasSubstr("<!-- ")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
  EXPECT_THAT(page, HasSubstr("{{script}}"));
}

TEST(InteractiveFileTest, TheSameDataGivesTheSameBytes) {
  EXPECT_EQ(interactiveText({{"a", 1}}), interactiveText({{"a", 1}}));
}

TEST(InteractiveFileTest, WhatIsTooLargeIsRefusedWithAdvice) {
  const nlohmann::ordered_json small{{"text", "a"}};
  const std::size_t room = roomForMaps(small);
  EXPECT_LT(room, interactiveLimit);
  EXPECT_EQ(interactiveText(small).size(),
            interactiveLimit - room - std::string("{{data}}").size());
  try {
    interactiveText({{"text", std::string(interactiveLimit, 'a')}});
    FAIL();
  } catch (const InteractiveSizeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("10.0 MB"));
    EXPECT_THAT(error.what(), HasSubstr("choose fewer layers (--layer)"));
  }
}

TEST(InteractiveFileTest, PagesEndInHtml) {
  EXPECT_NO_THROW(checkInteractivePath("a/b.html"));
  EXPECT_NO_THROW(checkInteractivePath("a/b.htm"));
  EXPECT_THROW(checkInteractivePath("a/b.png"), FileError);
  EXPECT_THROW(checkInteractivePath("html"), FileError);
}

}  // namespace
}  // namespace softscope
