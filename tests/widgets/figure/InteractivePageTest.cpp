#include "core/Error.h"
#include "core/attention/DenseMap.h"
#include "core/interactive/InteractiveFile.h"
#include "tests/core/SyntheticAttention.h"
#include "widgets/figure/InteractivePage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PageSubject subjectOf(std::shared_ptr<const AttentionMap> map) {
  LayerInspection layer;
  layer.name = "blocks.0.attn";
  layer.attention = std::move(map);
  PageSubject subject;
  subject.models.push_back({"model", "", {0, 0, 64, 64}, {layer}});
  return subject;
}

std::string textOf(const AttentionDescription& attention) {
  return interactivePage(subjectOf(test::syntheticMap(attention))).text;
}

/// A page of one head of 4 x 4 entries.
PageSubject subjectOf(const Matrix& entries) {
  return subjectOf(std::make_shared<DenseMap>(test::gridAttention(1, 2, 2),
                                              MatrixStack(std::vector<Matrix>{entries})));
}

TEST(PageOfMaps, AsksInWordsThatAShortNameIsAPartOf) {
  AttentionDescription attention = test::gridAttention(1, 2, 2, 1);
  attention.prefixNames = {"at"};
  const std::string page = textOf(attention);
  EXPECT_THAT(page, HasSubstr("\"rows\":\"what % attends to\""));
  EXPECT_THAT(page, HasSubstr("\"columns\":\"who attends to %\""));
  EXPECT_THAT(textOf(test::gridAttention(1, 2, 2)), HasSubstr("\"rows\":\"what % attends to\""));
}

TEST(PageOfMaps, NamesSingleTokensWithoutAGrid) {
  AttentionDescription attention;
  attention.mechanism = "softmax_class";
  attention.heads = 1;
  attention.queries = 3;
  attention.keys = 6;
  attention.keyGrid = TokenGrid{2, 2};
  attention.prefixTokens = 2;
  const std::string page = textOf(attention);
  EXPECT_THAT(page, HasSubstr("\"grid\":null,\"named\":[[0,\"class token\"],[1,\"distillation "
                              "token\"]],\"unit\":\"token\""));
}

TEST(PageOfMaps, SaysWhichRowsAreNotFinite) {
  Matrix entries = Matrix::Constant(4, 4, 0.25f);
  EXPECT_THAT(interactivePage(subjectOf(entries)).text, HasSubstr("\"Every row sums to 1.\""));
  entries(2, 1) = std::numeric_limits<float>::quiet_NaN();
  const std::string one = interactivePage(subjectOf(entries)).text;
  EXPECT_THAT(one, HasSubstr("\"In 1 of 4 rows entries are not finite"));
  EXPECT_THAT(one, HasSubstr("\"All other rows sum to 1.\""));
  EXPECT_THAT(one, Not(HasSubstr("\"Every row sums")));
  entries.fill(std::numeric_limits<float>::quiet_NaN());
  const std::string all = interactivePage(subjectOf(entries)).text;
  EXPECT_THAT(all, HasSubstr("\"In every row entries are not finite"));
  EXPECT_THAT(all, Not(HasSubstr("ows sum to")));
}

TEST(PageOfMaps, LeavesOutWhatFloat16CannotHold) {
  Matrix entries = Matrix::Constant(4, 4, 0.25f);
  entries.row(2) *= 1e-20f;
  try {
    interactivePage(subjectOf(entries));
    FAIL() << "the page holds a row of zeros";
  } catch (const InteractiveSizeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("differ too much in size to be stored as float16"));
  }
}

TEST(PageOfMaps, WithoutALayerIsRefusedInASentence) {
  PageSubject subject;
  subject.models.push_back({"soft", "", {0, 0, 64, 64}, {}});
  EXPECT_THROW(interactivePage(subject), InspectionError);
}

}  // namespace
}  // namespace softscope
