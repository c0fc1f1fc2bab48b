#include "core/array/Npz.h"
#include "core/array/NumbersFile.h"
#include "core/json/ParsedJson.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

nlohmann::json jsonOf(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string file = folder / "numbers.json";
  const Outcome outcome = test::softscope("figure " + arguments + " --data " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  return parsedJson(contentOf(file));
}

const std::string jsonSubject =
    "-m " + data("golden/soft/checkpoint.pth") + " " + data("golden/soft/input.npy") + " ";

TEST(NumbersFile, HasTheColumnsOfTheTableAndASentence) {
  const auto norms = jsonOf("norms " + jsonSubject + "--layer all");
  EXPECT_THAT(
      norms["sentence"].get<std::string>(),
      MatchesRegex("\\|S\\| with SOFT\\+\\+'s normalisation is [0-9.e-]+ of \\|S\\| without "
                   "it in the median of [0-9]+ heads \\(.* to .*\\)\\."));
  ASSERT_FALSE(norms["rows"].empty());
  EXPECT_EQ(norms["rows"][0]["inverse"], "released");
  EXPECT_GT(norms["rows"][0]["norm_soft"].get<double>(), 0);
  EXPECT_TRUE(norms["rows"][0]["rcond"].is_null());
}

TEST(NumbersFile, HasASentenceForEveryTable) {
  for (const char* const kind :
       {"spectrum --layer all", "convergence --layer all", "overview", "share", "deletion",
        "sanity", "bottleneck --approximation --landmarks all --layer block2.0.att.mha.attn"}) {
    const auto json = jsonOf(std::string(kind) + " " + jsonSubject);
    EXPECT_THAT(json["sentence"].get<std::string>(),
                MatchesRegex(".* is .*\\.|.*: .*\\.|.*reach.*"))
        << kind;
    EXPECT_FALSE(json["rows"].empty()) << kind;
  }
}

TEST(NumbersFile, SaysTheResultOfArraysAndNotTheLargestOfUnlikeNumbers) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"rollout --layer block2.0.att.mha.attn --at 0.5,0.5",
       "The share of the rollout on patches other than the query's own is .*"},
      {"reach --layer block2.0.att.mha.attn --at 0.5,0.5 --directions 2",
       "The radius in pixels that holds half of the influence is .*"},
      {"class",
       "The patch that speaks most for .* is .*\\) of [0-9]+ x [0-9]+ by gradient_tokens.*"},
      {"matrix --layer block2.0.att.mha.attn", "The line score, .* is .*"},
      {"tokens --layer block2.0.att.mha.attn --at 0.5,0.5",
       "Most similar to patch \\(.*\\) is patch \\(.*\\), with a cosine of .*"},
      {"tokens --layer block2.0.att.mha.attn --show norms", "The largest norm of a patch .* is .*"},
      {"bottleneck --layer block2.0.att.mha.attn", "The largest magnitude of an eigenvalue .*"},
      {"bottleneck --approximation --layer block2.0.att.mha.attn --at 0.5,0.5",
       "The approximation's relative Frobenius error is .*"},
      {"sinks --layer all", "The strongest key's share of the attention is .*"}};
  for (const auto& [kind, sentence] : kinds) {
    const auto json = jsonOf(kind + " " + jsonSubject);
    EXPECT_THAT(json["sentence"].get<std::string>(), MatchesRegex(sentence)) << kind;
  }
}

TEST(NumbersFile, HasTheArraysNestedByTheirShapes) {
  const TemporaryFolder folder;
  const std::string arguments =
      "heads " + jsonSubject + "--layer block2.0.att.mha.attn --query 1,1";
  const auto json = jsonOf(arguments);
  ASSERT_EQ(test::softscope("figure " + arguments + " --data " + (folder / "heads.npz")).exitCode,
            0);
  const NamedArrays arrays = readNpz(folder / "heads.npz");
  ASSERT_EQ(json["rows"].size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, array] = arrays[i];
    EXPECT_EQ(json["rows"][i]["name"], name);
    EXPECT_EQ(json["rows"][i]["shape"].get<std::vector<std::int64_t>>(), array.shape);
    nlohmann::json first = json["rows"][i]["values"];
    while (first.is_array()) first = nlohmann::json(first.front());
    EXPECT_EQ(first.get<float>(), array.values.front());
  }
  EXPECT_THAT(json["sentence"].get<std::string>(), HasSubstr("The value largest in magnitude is "));
}

TEST(NumbersFile, SpellsWhatJsonHasNoNumbersFor) {
  const TemporaryFolder folder;
  Table table{{"undefined", "nan", "infinite", "name"}, {}};
  table.add({Table::Cell(), std::numeric_limits<double>::quiet_NaN(),
             -std::numeric_limits<double>::infinity(), std::string("a\xff\"b")});
  writeNumbersFile(folder / "strange.json", table);
  const auto json = parsedJson(contentOf(folder / "strange.json"));
  ASSERT_FALSE(json.is_discarded());
  const auto& row = json["rows"][0];
  EXPECT_TRUE(row["undefined"].is_null());
  EXPECT_TRUE(row["nan"].is_null());
  EXPECT_EQ(row["infinite"], "-inf");
  EXPECT_EQ(row["name"], "a\xef\xbf\xbd\"b");
}

TEST(NumbersFile, SaysHowManyValuesAreNotFiniteAndPassesOverWhatStandsBesideThem) {
  const TemporaryFolder folder;
  constexpr float undefined = std::numeric_limits<float>::quiet_NaN();
  const auto sentenceOf = [&](const NamedArrays& arrays) {
    writeNumbersFile(folder / "sentence.json", arrays);
    return parsedJson(contentOf(folder / "sentence.json"))["sentence"].get<std::string>();
  };
  EXPECT_EQ(sentenceOf({{"m.rollout", {{2}, {undefined, undefined}}},
                        {"m.rollout_least_sum", {{1}, {1}}}}),
            "2 of 2 values are not finite.");
  EXPECT_EQ(sentenceOf({{"m.rollout", {{2}, {undefined, -2}}}, {"m.rollout_2", {{1}, {3}}}}),
            "The value largest in magnitude is 3, at [0] of m.rollout_2; 1 of 3 values are not "
            "finite.");
}

TEST(NumbersFile, HasEveryArrayByANameOfItsOwn) {
  const TemporaryFolder folder;
  const NamedArrays arrays{{"a/b", {{1}, {1}}}, {"a_b", {{1}, {2}}}, {"c", {{1}, {3}}}};
  writeNumbersFile(folder / "names.npz", arrays);
  writeNumbersFile(folder / "names.json", arrays);
  const NamedArrays read = readNpz(folder / "names.npz");
  const auto json = parsedJson(contentOf(folder / "names.json"));
  const std::vector<std::string> names{"a_b", "a_b_2", "c"};
  ASSERT_EQ(read.size(), names.size());
  ASSERT_EQ(json["rows"].size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(read[i].first, names[i]);
    EXPECT_EQ(read[i].second.values, arrays[i].second.values);
    EXPECT_EQ(json["rows"][i]["name"], names[i]);
  }
}

}  // namespace
}  // namespace softscope
