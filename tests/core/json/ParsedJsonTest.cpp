#include "core/json/ParsedJson.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace softscope {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParsedJson, ReadsWhatFilesNeed) {
  EXPECT_EQ(parsedJson(R"({"a": [1, {"b": "[[{"}]})").at("a").at(1).at("b"), "[[{");
  EXPECT_EQ(parsedOrderedJson(R"({"b": 1, "a": 2})").begin().key(), "b");
  EXPECT_FALSE(parsedJson(nested(64)).is_discarded());
  EXPECT_TRUE(parsedJson("{").is_discarded());
}

TEST(ParsedJson, RefusesWhatIsNestedTooDeep) {
  EXPECT_TRUE(parsedJson(nested(65)).is_discarded());
  EXPECT_TRUE(parsedJson(R"({"a\"": )" + nested(500'000) + "}").is_discarded());
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_TRUE(parsedOrderedJson(objects + "1" + std::string(100'000, '}')).is_discarded());
  // Brackets in strings nest nothing.
  EXPECT_EQ(parsedJson('"' + nested(1000) + '"').get<std::string>().size(), 2000u);
  EXPECT_EQ(parsedJson(R"("\\\"[[" )").get<std::string>(), R"(\"[[)");
}

}  // namespace
}  // namespace softscope
