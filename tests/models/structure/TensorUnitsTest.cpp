#include "models/structure/TensorUnits.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <vector>

namespace softscope {
namespace {

using LayerNames = std::vector<std::string>;

/// LayerNames of a plain ViT whose norms are called so that only their order tells which is first.
LayerNames layersOfPlainVit(int first, int last) {
  LayerNames names;
  for (int block = first; block < last; ++block) {
    for (const char* layer : {"norm_token", "attn.qkv", "attn.proj", "norm_channel", "mlp.0"}) {
      for (const char* part : {".weight", ".bias"}) {
        names.push_back("layers." + std::to_string(block) + '.' + layer + part);
      }
    }
  }
  return names;
}

LayerNames joinedLists(const std::vector<LayerNames>& lists) {
  LayerNames all;
  for (const LayerNames& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

LayerNames inAlphabet(LayerNames names) {
  std::sort(names.begin(), names.end());
  return names;
}

bool keepsOrderOf(const LayerNames& names) {
  StateDict state;
  for (const std::string& name : names) state.insert(name, torch::zeros({1}));
  return keepsLayerOrder(state);
}

const LayerNames namesOfStem{"cls_token", "pos_embed", "patch.weight", "patch.bias"};
const LayerNames namesOfHead{"final_norm.weight", "final_norm.bias", "head.weight", "head.bias"};

TEST(TensorUnits, TheOrderOfAModuleIsThatOfItsLayers) {
  const LayerNames whole = joinedLists({namesOfStem, layersOfPlainVit(0, 6), namesOfHead});
  EXPECT_TRUE(keepsOrderOf(whole));
  EXPECT_FALSE(keepsOrderOf(inAlphabet(whole)));
}

TEST(TensorUnits, SortedFilesThatWereJoinedAreInNoOrder) {
  const LayerNames first = joinedLists({namesOfStem, layersOfPlainVit(0, 3)});
  const LayerNames second = joinedLists({layersOfPlainVit(3, 6), namesOfHead});
  EXPECT_TRUE(keepsOrderOf(joinedLists({first, second})));
  EXPECT_FALSE(keepsOrderOf(joinedLists({inAlphabet(first), inAlphabet(second)})));
  // The joint may be within a block.
  LayerNames most = layersOfPlainVit(0, 4);
  LayerNames rest(most.end() - 6, most.end());
  most.resize(most.size() - 6);
  rest = joinedLists({rest, namesOfHead});
  EXPECT_TRUE(keepsOrderOf(joinedLists({namesOfStem, most, rest})));
  EXPECT_FALSE(
      keepsOrderOf(joinedLists({inAlphabet(joinedLists({namesOfStem, most})), inAlphabet(rest)})));
}

/// Layers whose names stand in alphabetical order within each block.
LayerNames layersInAlphabet(int first, int last) {
  LayerNames names;
  for (int block = first; block < last; ++block) {
    for (const char* layer : {"attn.0", "attn.1", "mlp", "norm"}) {
      names.push_back("layers." + std::to_string(block) + '.' + layer + ".weight");
    }
  }
  return names;
}

TEST(TensorUnits, TheOrderOfElevenBlocksShowsEvenIfTheirLayersAreInAlphabeticalOrder) {
  // Without biases, which stand behind weights against the alphabet.
  const LayerNames stem{"cls_token", "pos_embed", "patch.weight"};
  const LayerNames head{"final_norm.weight", "head.weight"};
  const LayerNames whole = joinedLists({stem, layersInAlphabet(0, 12), head});
  EXPECT_TRUE(keepsOrderOf(whole));
  EXPECT_FALSE(keepsOrderOf(inAlphabet(whole)));
  EXPECT_TRUE(keepsOrderOf(joinedLists({layersInAlphabet(0, 12), head})));
  EXPECT_FALSE(keepsOrderOf(joinedLists({layersInAlphabet(0, 12), {"norm.weight"}})))
      << "a joint before the eleventh block gives the same";
  for (const int joint : {5, 10, 11}) {
    const LayerNames first = joinedLists({stem, layersInAlphabet(0, joint)});
    const LayerNames second = joinedLists({layersInAlphabet(joint, 12), head});
    EXPECT_FALSE(keepsOrderOf(joinedLists({inAlphabet(first), inAlphabet(second)}))) << joint;
  }
}

TEST(TensorUnits, APathHoldsItselfAndTheNamesBelowIt) {
  EXPECT_TRUE(isAtOrBelow("a.b", "a.b"));
  EXPECT_TRUE(isAtOrBelow("a.b.c", "a.b"));
  EXPECT_FALSE(isAtOrBelow("a.bc", "a.b"));
  EXPECT_FALSE(isAtOrBelow("a", "a.b"));
  EXPECT_FALSE(isAtOrBelow("a", ""));
}

TEST(TensorUnits, ANumberThatEndsANameHasUpToFourDigits) {
  EXPECT_EQ(numberAtEnd("norm2"), 2);
  EXPECT_EQ(numberAtEnd("net.0"), 0);
  EXPECT_EQ(numberAtEnd("norm1234"), 1234);
  EXPECT_EQ(numberAtEnd("norm12345"), -1);
  EXPECT_EQ(numberAtEnd("norm"), -1);
  EXPECT_EQ(numberAtEnd(""), -1);
}

TEST(TensorUnits, NamesWithoutBlocksHaveAnOrderToo) {
  EXPECT_TRUE(keepsOrderOf(
      {"conv1.weight", "conv1.bias", "block.g.weight", "block.g.bias", "fc.weight", "fc.bias"}));
  EXPECT_TRUE(keepsOrderOf({"stem.weight", "block.weight", "head.weight"}));
  EXPECT_FALSE(keepsOrderOf({"block.weight", "head.weight", "stem.weight"}));
}

}  // namespace
}  // namespace softscope
