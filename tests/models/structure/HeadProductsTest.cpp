#include "core/checkpoint/Checkpoint.h"
#include "models/OpenModel.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::plainNetwork;
using test::refusalOfParts;
using ::testing::HasSubstr;
using ::testing::Not;

/// The words that a head of two products under `path` is refused with, the first as wide as tokens.
std::string refusalOfPair(const std::string& path, const std::string& second) {
  return refusalOfParts(plainNetwork(
      {"out."}, {{path + ".0.weight", {24, 24}}, {path + '.' + second + ".weight", {7, 24}}}));
}

TEST(HeadProducts, NeighboursInAListOfHeadsMayBeOfSeveralTasks) {
  for (const char* path : {"heads", "classifiers", "top.task_heads"}) {
    EXPECT_THAT(refusalOfPair(path, "1"), HasSubstr("may be heads of several tasks")) << path;
    EXPECT_EQ(refusalOfPair(path, "2"), "") << path;
  }
  EXPECT_EQ(refusalOfPair("head", "1"), "");
}

/// Two products of the head, the first as wide as tokens, and a norm behind as many of them as
/// `before` says.
Checkpoint headWithNorm(const test::Pieces& names, std::size_t before) {
  test::Shapes added{{names[0] + ".weight", {24, 24}}, {names[1] + ".weight", {7, 24}}};
  added.insert(added.begin() + static_cast<std::ptrdiff_t>(before),
               {{"norm.weight", {24}}, {"norm.bias", {24}}});
  return plainNetwork({"out.", "end."}, added);
}

Checkpoint inAlphabet(const Checkpoint& checkpoint) {
  std::map<std::string, torch::Tensor> sorted;
  for (const auto& entry : checkpoint.state.entries()) sorted.emplace(entry.name, entry.tensor);
  Checkpoint changed = checkpoint;
  changed.state = {};
  for (const auto& [name, tensor] : sorted) changed.state.insert(name, tensor);
  return changed;
}

TEST(HeadProducts, ANormThatMayStandBetweenThemIsRefused) {
  const std::vector<test::Pieces> heads{{"pre_logits", "fc"},
                                        {"pooler", "classifier"},
                                        {"pooler.dense", "head"},
                                        {"head.0", "head.1"}};
  for (const test::Pieces& names : heads) {
    EXPECT_EQ(refusalOfParts(headWithNorm(names, 0)), "") << names.front();
    EXPECT_THAT(refusalOfParts(headWithNorm(names, 1)),
                HasSubstr("a norm behind the first product of the head"))
        << names.front();
    EXPECT_THAT(refusalOfParts(headWithNorm(names, 2)),
                HasSubstr("a norm behind the first product of the head"))
        << names.front();
    EXPECT_THAT(refusalOfParts(inAlphabet(headWithNorm(names, 0))), HasSubstr("ambiguous"))
        << names.front();
  }
  EXPECT_THAT(refusalOfParts(inAlphabet(headWithNorm({"head.0", "head.1"}, 0))),
              HasSubstr("ambiguous norm: 'norm'"));
  EXPECT_THAT(refusalOfParts(inAlphabet(headWithNorm({"head.0", "head.2"}, 0))),
              Not(HasSubstr("ambiguous norm")));
}

TEST(HeadProducts, AnActivationBeforeAnotherModuleIsSettledByItsOption) {
  const Checkpoint head = plainNetwork({"out."}, {{"mlp_head.0.weight", {20, 24}},
                                                  {"mlp_head.3.weight", {12, 20}},
                                                  {"classifier.weight", {7, 12}}});
  EXPECT_THAT(refusalOfParts(head), HasSubstr("which --head-activation says of both"));
  for (const char* activation : {"gelu", "none"}) {
    EXPECT_EQ(refusalOfParts(head, {{"head-activation", activation}}), "") << activation;
  }
}

}  // namespace
}  // namespace softscope
