#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "models/structure/PatchProduct.h"
#include "models/structure/TensorUnits.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/structure/ChangedCases.h"
#include "tests/models/structure/HandWrittenCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::doubtsOf;
using test::HandWrittenCases;
using test::Options;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Parts of names of a case's blocks, and what they are replaced by.
using Renames = std::vector<std::pair<std::string, std::string>>;
using Change = std::function<void(StateDict&, const std::string& name, const torch::Tensor&)>;

/// A case of structure.zip whose file has other names, or another order.
class RenamedCase {
 public:
  /// `change` puts a tensor, whose name is replaced already, in the new file.
  RenamedCase(const std::string& name, const Renames& renames, const Change& change = {})
      : golden_(HandWrittenCases::folder(name), HandWrittenCases::request(name, "options")),
        request_(HandWrittenCases::request(name, "options")) {
    StateDict state;
    const StateDict own = test::rebuilt(name, {}, {}).state;
    for (const StateDict::Entry& entry : own.entries()) {
      std::string other = entry.name;
      for (const auto& [from, to] : renames) {
        const std::size_t at = other.find(from);
        if (at != std::string::npos) other.replace(at, from.size(), to);
      }
      if (change) {
        change(state, other, entry.tensor);
      } else {
        state.insert(other, entry.tensor);
      }
    }
    request_.path = folder_.file("renamed.safetensors");
    writeSafetensors(request_.path, state, {});
  }

  /// The request with the case's options.
  ModelRequest& request() { return request_; }
  ModelSummary summary() const { return identifyModel(request_); }
  /// Returns the difference from what the case's own code computes.
  double error() const {
    const auto logits = inspect(*openModel(request_), golden_.input())->logits;
    return difference(logits, readNpy(golden_.path("logits.npy")));
  }

 private:
  Golden golden_;
  ModelRequest request_;
  TemporaryFolder folder_;
};

TEST(LibraryBlocks, CompactTransformersAddTheMlpToNormedTokens) {
  for (const char* blocks : {"classifier.blocks.", "my.encoder.layers."}) {
    SCOPED_TRACE(blocks);
    RenamedCase compact("sums_to_normed_mlp", {{"units.", blocks},
                                               {".a.", ".pre_norm."},
                                               {".look.three.", ".self_attn.qkv."},
                                               {".look.back.", ".self_attn.proj."},
                                               {".up.", ".linear1."},
                                               {".b.", ".norm1."},
                                               {".down.", ".linear2."}});
    compact.request().norm.reset();
    compact.request().activation.reset();
    const ModelSummary summary = compact.summary();
    EXPECT_EQ(summary.setting("norm")->value, "pre-normed-mlp");
    for (const char* known : {"norm", "activation", "qkv", "scale"}) {
      EXPECT_THAT(doubtsOf(summary), Not(Contains(known)));
    }
    EXPECT_LT(compact.error(), 1e-4);
    compact.request().norm = "pre";
    EXPECT_GT(compact.error(), 1e-2);
  }
}

TEST(LibraryBlocks, NormedSumsAreAskedOfBlocksOfSomebodysOwn) {
  const ModelSummary own = identifyModel(HandWrittenCases::request("sums_to_normed", ""));
  EXPECT_THAT(own.setting("norm")->choices,
              AllOf(Contains("pre-normed"), Contains("pre-normed-mlp")));
  const ModelSummary torchs =
      identifyModel(HandWrittenCases::request("torch_encoder_pre_gelu", ""));
  EXPECT_THAT(torchs.setting("norm")->choices, Not(Contains("pre-normed")));
}

/// Returns a function that puts a packed matrix, `.three.`, in as three with these names.
Change apart(const std::vector<std::string>& names) {
  return [names](StateDict& state, const std::string& name, const torch::Tensor& tensor) {
    const std::string packed = ".three.";
    const std::size_t at = name.find(packed);
    if (at == std::string::npos) {
      state.insert(name, tensor);
      return;
    }
    const std::vector<torch::Tensor> parts = tensor.chunk(3);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      std::string own = name;
      own.replace(at, packed.size(), names[part]);
      state.insert(own, parts[part].clone());
    }
  };
}

/// Returns a function that holds the attention's tensors back until its block's last tensor of the
/// mlp is in.
Change withAttentionBehind(const Change& insert) {
  auto kept = std::make_shared<std::vector<std::pair<std::string, torch::Tensor>>>();
  return [kept, insert](StateDict& state, const std::string& name, const torch::Tensor& tensor) {
    if (name.find(".attn.") != std::string::npos) {
      kept->emplace_back(name, tensor);
      return;
    }
    insert(state, name, tensor);
    if (!name.ends_with("fc2.bias")) return;
    for (const auto& [held, value] : *kept) insert(state, held, value);
    kept->clear();
  };
}

const std::vector<std::string> namesOfParts{".query.", ".key.", ".value."};
const Renames namesOfJeonsworld{{"units.", "transformer.encoder.layer."},
                                {".a.", ".attention_norm."},
                                {".look.three.", ".attn.three."},
                                {".look.back.", ".attn.out."},
                                {".b.", ".ffn_norm."},
                                {".up.", ".ffn.fc1."},
                                {".down.", ".ffn.fc2."},
                                {"end.", "transformer.encoder.encoder_norm."}};

TEST(LibraryBlocks, JeonsworldsRunTheAttentionFirst) {
  RenamedCase jeonsworld("class_last", namesOfJeonsworld, withAttentionBehind(apart(namesOfParts)));
  for (auto* told : {&jeonsworld.request().norm, &jeonsworld.request().activation,
                     &jeonsworld.request().epsilon}) {
    told->reset();
  }
  const ModelSummary summary = jeonsworld.summary();
  EXPECT_EQ(summary.setting("first-half")->value, "attention");
  EXPECT_EQ(summary.setting("activation")->value, "gelu");
  EXPECT_EQ(summary.setting("epsilon")->value, "1e-06");
  EXPECT_EQ(summary.setting("epsilon-blocks")->value, "1e-06");
  for (const char* known :
       {"first-half", "norm", "activation", "epsilon", "epsilon-blocks", "scale"}) {
    EXPECT_THAT(doubtsOf(summary), Not(Contains(known)));
  }
  EXPECT_LT(jeonsworld.error(), 1e-4);
}

TEST(LibraryBlocks, OfJeonsworldsBlocksAloneTheOuterEpsilonIsAsked) {
  Renames names = namesOfJeonsworld;
  names.back().second = "end_norm.";
  RenamedCase copied("class_last", names, withAttentionBehind(apart(namesOfParts)));
  copied.request().epsilon.reset();
  EXPECT_THAT(doubtsOf(copied.summary()),
              AllOf(Contains("epsilon"), Not(Contains("epsilon-blocks"))));
  copied.request().epsilon = "1e-05";
  EXPECT_EQ(copied.summary().setting("epsilon-blocks")->value, "1e-06");
}

TEST(LibraryBlocks, WhatAFileSaysCountsBeforeTheNamesOfARepository) {
  RenamedCase changed("class_last", namesOfJeonsworld, withAttentionBehind(apart(namesOfParts)));
  Checkpoint file = readCheckpoint(changed.request().path);
  file.metadata = {{"config.hidden_act", "relu"},
                   {"config.layer_norm_eps", "1e-05"},
                   {"config.norm_first", "false"}};
  const ModelSummary summary = identifyModel(file);
  const Options said{
      {"activation", "relu"}, {"epsilon", "1e-05"}, {"epsilon-blocks", "1e-05"}, {"norm", "post"}};
  for (const auto& [option, value] : said) {
    EXPECT_EQ(summary.setting(option)->value, value) << option;
    EXPECT_THAT(doubtsOf(summary), Not(Contains(option)));
  }
}

TEST(LibraryBlocks, AnAttentionBehindTheMlpInAFileUsuallyRunsFirst) {
  const RenamedCase turned(
      "class_last", {{".look.", ".attn."}, {".down.", ".fc2."}, {".up.", ".fc1."}},
      withAttentionBehind([](StateDict& state, const std::string& name,
                             const torch::Tensor& tensor) { state.insert(name, tensor); }));
  EXPECT_EQ(turned.summary().setting("first-half")->value, "attention");
  EXPECT_THAT(doubtsOf(turned.summary()), Contains("first-half"));
  EXPECT_LT(turned.error(), 1e-4);
}

/// Orders what a packed matrix makes as heads, channels, and then q, k and v.
void insertWithLettersLast(StateDict& state, const std::string& name, const torch::Tensor& tensor) {
  constexpr std::int64_t heads = 4;
  const bool isPacked = name.find(".qkv.") != std::string::npos;
  const torch::Tensor rows = tensor.reshape({tensor.size(0), -1});
  const auto turned = [&] {
    return rows.reshape({3, heads, -1, rows.size(1)}).permute({1, 2, 0, 3}).reshape(tensor.sizes());
  };
  state.insert(name, isPacked ? turned().contiguous() : tensor);
}

TEST(LibraryBlocks, ATutorialsSoftmaxIsAssumedToBeDivided) {
  RenamedCase tutorial("divided_by_width",
                       {{".a.", ".0.fn.0."},
                        {".look.three.", ".0.fn.1.qkv."},
                        {".look.back.", ".0.fn.1.projection."},
                        {".b.", ".1.fn.0."},
                        {".up.", ".1.fn.1.0."},
                        {".down.", ".1.fn.1.3."}},
                       insertWithLettersLast);
  tutorial.request().scale.reset();
  const ModelSummary summary = tutorial.summary();
  EXPECT_EQ(summary.setting("scale")->value, "behind-width");
  EXPECT_EQ(summary.setting("qkv")->value, "hd3");
  EXPECT_THAT(doubtsOf(summary), AllOf(Contains("scale"), Contains("qkv")));
  EXPECT_LT(tutorial.error(), 1e-4);
}

TEST(LibraryBlocks, ATutorialsSoftmaxOfThreeMatricesIsAssumedToBeDivided) {
  RenamedCase tutorial("divided_by_width",
                       {{".a.", ".0.fn.0."},
                        {".look.", ".0.fn.1."},
                        {".back.", ".projection."},
                        {".b.", ".1.fn.0."},
                        {".up.", ".1.fn.1.0."},
                        {".down.", ".1.fn.1.3."}},
                       apart({".queries.", ".keys.", ".values."}));
  tutorial.request().scale.reset();
  const ModelSummary summary = tutorial.summary();
  EXPECT_EQ(summary.setting("scale")->value, "behind-width");
  EXPECT_THAT(doubtsOf(summary), Contains("scale"));
  EXPECT_LT(tutorial.error(), 1e-4);
}

TEST(LibraryBlocks, ADividedSoftmaxIsOfSoftmaxAlone) {
  ModelRequest request = HandWrittenCases::request("linear_linformer_EF", "");
  EXPECT_THAT(identifyModel(request).setting("scale")->choices, Not(Contains("behind-head")));
}

TEST(LibraryBlocks, AnActivationBehindPreLogitsIsTanh) {
  for (const std::int64_t width : {36, 24}) {
    const ModelSummary summary =
        identifyModel(test::plainNetwork({"out."}, {{"pre_logits.fc.weight", {width, 24}},
                                                    {"pre_logits.fc.bias", {width}},
                                                    {"head.weight", {7, width}}}));
    EXPECT_EQ(summary.setting("head-activation")->value, "tanh");
    EXPECT_THAT(doubtsOf(summary), Contains("head-activation"));
  }
}

TEST(LibraryBlocks, ShiftedPatchesAreRefusedByName) {
  const auto patches = [](std::int64_t channels) {
    const std::int64_t values = channels * 49;
    return test::plainNetwork({"embed."}, {{"to_patch_tokens.1.weight", {values}},
                                           {"to_patch_tokens.1.bias", {values}},
                                           {"to_patch_tokens.2.weight", {24, values}}});
  };
  for (const std::int64_t channels : {5, 15}) {
    Checkpoint shifted = patches(channels);
    const std::string named = "shifted patches: 'to_patch_tokens.2'";
    EXPECT_THAT(test::refusalOfParts(shifted), HasSubstr(named));
    shifted.metadata = {{"config.patch_size", "7"}, {"config.in_channels", "3"}};
    EXPECT_THAT(test::refusalOfParts(shifted), HasSubstr(named));
    shifted.metadata = {{"config.in_channels", std::to_string(channels)}};
    EXPECT_EQ(test::refusalOfParts(shifted), "");
  }
}

TEST(LibraryBlocks, AProductBehindTheFinalNormTakesNoShiftedPatches) {
  constexpr std::int64_t channels = 20;
  const auto refuse = [](std::int64_t inputs) {
    StateDict state;
    state.insert("norm.weight", torch::ones({inputs}));
    state.insert("head.weight", torch::ones({channels, inputs}));
    const std::vector<TensorUnit> units = tensorUnits(state);
    refuseShiftedPatches({units.back()}, {units.front()}, channels, {});
  };
  EXPECT_NO_THROW(refuse(channels));
  EXPECT_THROW(refuse(5 * 9), ModelError);
}

}  // namespace
}  // namespace softscope
