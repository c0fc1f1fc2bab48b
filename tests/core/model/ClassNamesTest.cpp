#include "core/Error.h"
#include "core/files/Malformed.h"
#include "core/model/ClassNames.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;

std::string refusalOf(const std::string& text) {
  return test::messageOf<Malformed>([&] { classNamesIn(text); });
}

TEST(ClassNames, AreLinesOrJson) {
  const Names names{"cat", "große Dogge", "tench, Tinca tinca"};
  for (const char* text : {
           "cat\ngroße Dogge\ntench, Tinca tinca\n",
           "cat\ngroße Dogge\ntench, Tinca tinca",
           "\xEF\xBB\xBF"
           "cat\r\ngroße Dogge\r\ntench, Tinca tinca\r\n\r\n",
           R"(["cat", "große Dogge", "tench, Tinca tinca"])",
           R"({"0": "cat", "1": "große Dogge", "2": "tench, Tinca tinca"})",
           R"({"2": "tench, Tinca tinca", "0": "cat", "1": "große Dogge"})",
           R"({"große Dogge": 1, "tench, Tinca tinca": 2, "cat": 0})",
           R"({"0": ["n1", "cat"], "1": ["n2", "große Dogge"], "2": ["n3", "tench, Tinca tinca"]})",
           R"({"model_type": "vit",
               "id2label": {"0": "cat", "1": "große Dogge", "2": "tench, Tinca tinca"}})",
       }) {
    EXPECT_EQ(classNamesIn(text), names) << text;
  }
}

TEST(ClassNames, OfMoreThanTenStandInTheOrderOfTheirNumbers) {
  std::string text = "{";
  for (int i = 0; i < 12; ++i) {
    text += (i ? ", \"" : "\"") + std::to_string(i) + "\": \"c" + std::to_string(i) + "\"";
  }
  const Names names = classNamesIn(text + "}");
  ASSERT_EQ(names.size(), 12u);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], "c" + std::to_string(i));
}

TEST(ClassNames, ThatAreMissingAreNamed) {
  EXPECT_THAT(refusalOf(""), HasSubstr("no names of classes"));
  EXPECT_THAT(refusalOf(" \n\t\n"), HasSubstr("no names of classes"));
  EXPECT_THAT(refusalOf("[]"), HasSubstr("no names of classes"));
  EXPECT_THAT(refusalOf("{}"), HasSubstr("no names of classes"));
  EXPECT_THAT(refusalOf("cat\n\ndog\n"), HasSubstr("in line 2"));
  EXPECT_THAT(refusalOf(R"(["cat", 3])"), HasSubstr("for class 1"));
  EXPECT_THAT(refusalOf(R"({"0": "cat", "2": "dog"})"), HasSubstr("for class 1"));
  EXPECT_THAT(refusalOf(R"({"0": "cat", "7": "dog"})"), HasSubstr("for class 1"));
  EXPECT_THAT(refusalOf(R"({"cat": 0, "dog": 0})"), HasSubstr("for class 1"));
  EXPECT_THAT(refusalOf(R"({"cat": 0.5})"), HasSubstr("cat"));
  EXPECT_THAT(refusalOf(R"({"hidden_size": 768, "classes": ["a"]})"), HasSubstr("classes"));
  EXPECT_THAT(refusalOf("cat\n" + std::string(2000, 'x')), HasSubstr("in line 2"));
}

TEST(ClassNames, OfMoreClassesThanAnyNetworkHasAreRefused) {
  std::string lines;
  std::string list = "[\"a\"";
  std::string object = "{\"c0\": 0";
  for (int i = 1; i <= 100'000; ++i) {
    lines += "a\n";
    list += ",\"a\"";
    object += ",\"c" + std::to_string(i) + "\":" + std::to_string(i);
  }
  EXPECT_EQ(classNamesIn(lines).size(), 100'000u);
  for (const std::string& text : {lines + "a", list + "]", object + "}"}) {
    EXPECT_THAT(refusalOf(text), HasSubstr("too large"));
  }
  const TemporaryFolder folder;
  writeBytes(folder.file("names.txt"), std::string(std::size_t{3} << 20, ' '));
  ModelSummary summary;
  EXPECT_THROW(nameClasses(summary, folder.file("names.txt")), FileError);
}

TEST(ClassNames, ThatAreNoTextAreRefused) {
  EXPECT_THAT(refusalOf("\x89PNG\r\n\x1a\n"), HasSubstr("no text of names"));
  EXPECT_THAT(refusalOf(std::string("cat\0dog", 7)), HasSubstr("no text of names"));
  EXPECT_THAT(refusalOf("[\"cat\""), HasSubstr("begins like JSON"));
  EXPECT_THAT(refusalOf(std::string(100000, '[')), HasSubstr("begins like JSON"));
}

}  // namespace
}  // namespace softscope
