#include "core/page/PageFile.h"

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

TEST(PageFileTest, ThePolicyAllowsWhatThePageHoldsAndNothingElse) {
  const std::string page = pageText({{"models", nlohmann::json::array()}});
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

TEST(PageFileTest, NamesCannotLeaveTheirElement) {
  const std::string name = "</script><script>alert(1)</script><!-- {{script}} & \xff \xe2\x80\xa8";
  const std::string page = pageText({{"name", name}});
  EXPECT_EQ(countOf(page, "<script"), 2u);
  EXPECT_EQ(countOf(page, "</script>"), 2u);
  EXPECT_THAT(page, Not(HasSubstr("<!-- ")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
  EXPECT_THAT(page, HasSubstr("{{script}}"));
}

TEST(PageFileTest, TheSameDataGivesTheSameBytes) {
  EXPECT_EQ(pageText({{"a", 1}}), pageText({{"a", 1}}));
}

TEST(PageFileTest, WhatIsTooLargeIsRefusedWithAdvice) {
  const nlohmann::ordered_json small{{"text", "a"}};
  const std::size_t room = roomForMaps(small);
  EXPECT_LT(room, pageLimit);
  EXPECT_EQ(pageText(small).size(), pageLimit - room - std::string("{{data}}").size());
  try {
    pageText({{"text", std::string(pageLimit, 'a')}});
    FAIL();
  } catch (const PageSizeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("10.0 MB"));
    EXPECT_THAT(error.what(), HasSubstr("choose fewer layers (--layer)"));
  }
}

TEST(PageFileTest, PagesEndInHtml) {
  EXPECT_NO_THROW(checkPagePath("a/b.html"));
  EXPECT_NO_THROW(checkPagePath("a/b.htm"));
  EXPECT_THROW(checkPagePath("a/b.png"), FileError);
  EXPECT_THROW(checkPagePath("html"), FileError);
}

}  // namespace
}  // namespace softscope
