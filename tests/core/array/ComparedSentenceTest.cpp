#include "core/array/ComparedSentence.h"

#include <gtest/gtest.h>

#include <limits>

namespace softscope {
namespace {

constexpr ComparedNumbers norm{.quantity = "the norm", .column = "norm"};

Table normTable() {
  return {{"model", "layer", "head", "norm"}, {}};
}

void addNorm(Table& table, const char* model, std::int64_t head, double value) {
  table.add({std::string(model), std::string("attn"), head, value});
}

TEST(ComparedSentence, IsEmptyWithoutNumbers) {
  Table table = normTable();
  EXPECT_EQ(comparedSentence(table, norm), "");
  addNorm(table, "soft", 0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(comparedSentence(table, norm), "");
}

TEST(ComparedSentence, GivesTheSpreadOfOneModel) {
  Table table = normTable();
  addNorm(table, "soft", 0, 1);
  EXPECT_EQ(comparedSentence(table, norm), "The norm is 1.");
  addNorm(table, "soft", 1, 4);
  addNorm(table, "soft", 2, 2);
  // A curve repeats the number of its head in every row.
  addNorm(table, "soft", 2, 2);
  EXPECT_EQ(comparedSentence(table, norm), "The norm is 2 in the median of 3 heads (1 to 4).");
  addNorm(table, "soft", 2, 1000);
  EXPECT_EQ(comparedSentence(table, norm), "") << "one of two numbers speaks for neither";
}

TEST(ComparedSentence, CountsEveryPictureAndEveryQuery) {
  Table table{{"picture", "model", "layer", "query", "norm"}, {}};
  const auto add = [&table](const char* picture, const char* layer, std::int64_t query,
                            double number) {
    table.add({std::string(picture), std::string("soft"), std::string(layer), query, number});
  };
  add("cat", "first", 0, 1);
  add("cat", "first", 1, 3);
  EXPECT_EQ(comparedSentence(table, norm), "The norm is 2 in the median of 2 queries (1 to 3).");
  add("dog", "first", 0, 5);
  add("dog", "first", 1, 7);
  EXPECT_EQ(comparedSentence(table, norm),
            "The norm is 4 in the median of 2 pictures, 2 queries (1 to 7).");
  table.rows.resize(2);
  add("cat", "second", 0, 5);
  add("cat", "second", 1, 7);
  EXPECT_EQ(comparedSentence(table, norm),
            "The norm is 4 in the median of 2 layers, 2 queries (1 to 7).");
}

TEST(ComparedSentence, ComparesTwoModelsHeadByHead) {
  Table table = normTable();
  for (const int head : {0, 1, 2}) {
    addNorm(table, "soft", head, 10 * (head + 1));
    addNorm(table, "soft++", head, head + 1);
  }
  EXPECT_EQ(comparedSentence(table, norm),
            "The norm of soft++ is 0.1 of that of soft in the median of 3 heads, and smaller in "
            "all.");
  table.rows.back().back() = 60.0;
  EXPECT_EQ(comparedSentence(table, norm),
            "The norm of soft++ is 0.1 of that of soft in the median of 3 heads, and smaller in 2 "
            "of them.");
}

TEST(ComparedSentence, SaysTimesWhereTheSecondIsLarger) {
  Table table = normTable();
  addNorm(table, "soft", 0, 2);
  addNorm(table, "sima", 0, 3);
  EXPECT_EQ(comparedSentence(table, norm), "The norm of sima is 1.5 times that of soft.");
}

TEST(ComparedSentence, CallsGroupsByTheirTitles) {
  Table table = normTable();
  addNorm(table, "soft", 0, 2);
  addNorm(table, "sima", 0, 1);
  ComparedNumbers titled = norm;
  titled.groupName = [](const std::string& text) { return "Model " + text; };
  EXPECT_EQ(comparedSentence(table, titled),
            "The norm of Model sima is 0.5 of that of Model soft.");
}

TEST(ComparedSentence, ListsModelsWithOtherHeads) {
  Table table = normTable();
  addNorm(table, "soft", 0, 10);
  addNorm(table, "sima", 0, 1);
  addNorm(table, "sima", 1, 3);
  EXPECT_EQ(comparedSentence(table, norm),
            "The norm: soft 10; sima 2 in the median of 2 heads (1 to 3).");
}

TEST(ComparedSentence, DividesWithinARow) {
  Table table{{"model", "layer", "head", "inverse", "soft", "softpp"}, {}};
  for (const std::int64_t head : {0, 1}) {
    table.add({std::string("m"), std::string("attn"), head, std::string("exact"), 1.0, 9.0});
    table.add({std::string("m"), std::string("attn"), head, std::string("released"), 4.0, 1.0});
  }
  EXPECT_EQ(comparedSentence(table, {.quantity = "|S| of SOFT++",
                                     .column = "softpp",
                                     .divisor = "soft",
                                     .divisorQuantity = "SOFT's",
                                     .whereColumn = "inverse",
                                     .whereText = "released"}),
            "|S| of SOFT++ is 0.25 of SOFT's in the median of 2 heads (0.25 to 0.25).");
}

}  // namespace
}  // namespace softscope
