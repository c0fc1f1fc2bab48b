#include "core/Error.h"
#include "core/analysis/tokens/TokenVectors.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/Inspector.h"
#include "core/network/Network.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/identify/ReconfiguredCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::guessedOptions;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

constexpr const char* withoutClass = R"({"architectures": null})";

/// Writes the tensors of a golden case anew, as `change` makes them: one without a name is left
/// out. `change` may also add some once all are there.
void rewrite(const ReconfiguredCase& one,
             const std::function<void(std::string&, torch::Tensor&)>& change,
             const std::function<void(StateDict&)>& add = {}) {
  const Checkpoint stored = readCheckpoint(one.request().path);
  StateDict state;
  for (const StateDict::Entry& entry : stored.state.entries()) {
    std::string name = entry.name;
    torch::Tensor tensor = entry.tensor.clone();
    change(name, tensor);
    if (!name.empty()) state.insert(name, tensor);
  }
  if (add) add(state);
  writeSafetensors(one.request().path, state, {});
}

/// Leaves DeiT the classifier of those that are trained without a teacher.
void leaveOneClassifier(std::string& name, torch::Tensor&) {
  if (name.starts_with("distillation_classifier.")) name.clear();
  if (name.starts_with("cls_classifier.")) name = name.substr(4);
}

/// Leaves DINOv2's classifier the half that sees the class token.
void halveClassifier(std::string& name, torch::Tensor& tensor) {
  if (name == "classifier.weight") tensor = tensor.slice(1, 0, tensor.size(1) / 2).contiguous();
}

void leaveAsIs(std::string&, torch::Tensor&) {}

/// A golden case with a classifier behind a network of Hugging Face's.
struct Classified {
  const char* name;
  void (*change)(std::string&, torch::Tensor&);
  std::vector<std::string> poolings;  ///< without `pooler`, the usual one first
  std::string pooler;                 ///< where a pooler would stand; empty if there is none

  friend void PrintTo(const Classified& one, std::ostream* stream) { *stream << one.name; }
};

const std::vector<std::string> behindTokens{"cls", "mean", "mean_patches", "max", "max_patches"};
const std::vector<std::string> withoutToken{"mean", "cls", "max"};

class LibraryPoolingTest : public ::testing::TestWithParam<Classified> {
 protected:
  LibraryPoolingTest() : case_(GetParam().name, withoutClass) { rewrite(case_, GetParam().change); }

  ModelRequest request(const std::string& pooling) const {
    ModelRequest request = case_.request();
    request.pooling = pooling;
    return request;
  }
  InputTensor input() const { return Golden(GetParam().name).input(); }
  torch::Tensor stored(const std::string& name) const {
    return readCheckpoint(case_.request().path).state.find(name)->to(torch::kFloat32);
  }
  torch::Tensor classified(const torch::Tensor& pooled) const {
    return stored("classifier.weight").mv(pooled) + stored("classifier.bias");
  }
  void expectLogits(const std::string& pooling, const torch::Tensor& pooled) const {
    const auto model = openModel(request(pooling));
    EXPECT_EQ(model->summary().setting("pooling")->source, "chosen with --pooling");
    const auto inspection = inspect(*model, input());
    const torch::Tensor expected = classified(pooled);
    ASSERT_EQ(static_cast<std::int64_t>(inspection->logits.size()), expected.size(0));
    const float largest = expected.abs().max().item<float>();
    for (std::int64_t i = 0; i < expected.size(0); ++i) {
      EXPECT_NEAR(inspection->logits[i], expected[i].item<float>(), 1e-4f * largest)
          << pooling << ' ' << i;
    }
  }
  /// Returns the library's `last_hidden_state`, [tokens, C], and the number of tokens before the
  /// patches.
  std::pair<torch::Tensor, int> lastHiddenState() const {
    const auto model = openModel(request(GetParam().poolings.front()));
    const auto tokens = inspectTokens(*model, input());
    const LayerTokens& last = tokens->layers.back();
    const Matrix rows = tokens->features ? featuresOf(*tokens->features, last.tokens) : last.tokens;
    return {torch::from_blob(const_cast<float*>(rows.data()), {rows.rows(), rows.cols()}).clone(),
            last.prefix()};
  }

  ReconfiguredCase case_;
};

TEST_P(LibraryPoolingTest, IsAssumedUnlessConfigJsonNamesTheClass) {
  const ModelSummary summary = identifyModel(case_.request());
  const NetworkSetting& pooling = *summary.setting("pooling");
  EXPECT_TRUE(pooling.isUndetermined());
  EXPECT_EQ(pooling.value, GetParam().poolings.front());
  std::vector<std::string> choices = pooling.choices;
  std::erase(choices, "pooler");
  EXPECT_THAT(choices, UnorderedElementsAreArray(GetParam().poolings));
}

TEST_P(LibraryPoolingTest, IsThatOfTheTokens) {
  const auto [tokens, prefix] = lastHiddenState();
  expectLogits("cls", tokens[0]);
  expectLogits("mean", tokens.mean(0));
  expectLogits("max", tokens.amax(0));
  if (prefix == 0) return;
  expectLogits("mean_patches", tokens.slice(0, prefix).mean(0));
  expectLogits("max_patches", tokens.slice(0, prefix).amax(0));
}

// Nobody keeps a pooler whose result is not classified.
TEST_P(LibraryPoolingTest, APoolerIsUsed) {
  if (GetParam().pooler.empty()) GTEST_SKIP() << "the library has no such pooler";
  const auto [tokens, prefix] = lastHiddenState();
  const std::int64_t width = tokens.size(1);
  torch::manual_seed(1);
  const torch::Tensor weight = torch::randn({width, width}) / std::sqrt(width);
  const torch::Tensor bias = torch::randn({width});
  rewrite(case_, leaveAsIs, [&](StateDict& state) {
    state.insert(GetParam().pooler + ".weight", weight);
    state.insert(GetParam().pooler + ".bias", bias);
  });
  expectLogits("pooler", (weight.mv(tokens[0]) + bias).tanh());
  expectLogits("cls", tokens[0]);
  const ModelSummary summary = identifyModel(case_.request());
  EXPECT_EQ(summary.setting("pooling")->value, "pooler");
  EXPECT_TRUE(summary.setting("pooling")->isUndetermined());
  EXPECT_THAT(summary.foreign, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Library, LibraryPoolingTest,
    ::testing::Values(Classified{"hub/hf_vit", leaveAsIs, behindTokens, "vit.pooler.dense"},
                      Classified{"hub/hf_deit_distilled", leaveOneClassifier, behindTokens,
                                 "deit.pooler.dense"},
                      Classified{"hub/hf_ijepa", leaveAsIs, withoutToken, "ijepa.pooler.dense"},
                      Classified{"hub/hf_dinov2", halveClassifier, behindTokens, ""},
                      Classified{"hub/hf_dinov2_registers", halveClassifier, behindTokens, ""},
                      Classified{"libraries/hf_vit_msn", leaveAsIs, behindTokens, ""},
                      Classified{"libraries/hf_vit_msn_mixed", leaveAsIs, behindTokens, ""},
                      Classified{"libraries/hf_siglip_classifier", leaveAsIs, withoutToken, ""},
                      Classified{"libraries/hf_clip_classifier",
                                 leaveAsIs,
                                 {"mean_patches", "cls", "mean", "max", "max_patches"},
                                 ""}),
    [](const auto& one) {
      const std::string name = one.param.name;
      return name.substr(name.find('/') + 1);
    });

// Other tests compare the logits of the library's own classifiers, which must not be guesses.
TEST(LibraryPooling, ConfigJsonTellsThatOfTheLibrarysClassifier) {
  for (const auto& [name, pooling] :
       {std::pair("hub/hf_vit", "cls"), std::pair("hub/hf_ijepa", "mean"),
        std::pair("hub/hf_dinov2", "both"), std::pair("libraries/hf_vit_msn", "cls"),
        std::pair("libraries/hf_siglip_classifier", "mean"),
        std::pair("libraries/hf_clip_classifier", "mean_patches")}) {
    const Golden golden(name);
    const ModelSummary& summary = golden.model->summary();
    EXPECT_EQ(summary.setting("pooling")->value, pooling);
    EXPECT_THAT(guessedOptions(summary), Not(Contains("pooling"))) << name;
    const TemporaryFolder folder;
    ModelRequest converted;
    converted.path = folder.file("converted.safetensors");
    convertCheckpoint(summary.path, converted.path, {});
    const auto again = openModel(converted);
    EXPECT_EQ(inspect(*again, golden.input())->logits, golden.inspection->logits) << name;
    EXPECT_THAT(guessedOptions(again->summary()), Not(Contains("pooling"))) << name;
  }
}

TEST(LibraryPooling, WhatTwoClassifiersOfDeitSeeTheirNamesTell) {
  const ReconfiguredCase distilled("hub/hf_deit_distilled", withoutClass);
  EXPECT_THAT(guessedOptions(identifyModel(distilled.request())), Not(Contains("pooling")));
}

TEST(LibraryPooling, AHeadOfOneWidthIsNotThatOfTheLibrarysDinov2) {
  const ReconfiguredCase named("hub/hf_dinov2", R"({"hidden_act": "gelu"})");
  rewrite(named, halveClassifier);
  EXPECT_THAT(guessedOptions(identifyModel(named.request())), Contains("pooling"));
}

TEST(LibraryPooling, PooledOutputsOfClipAndSiglipAreComputed) {
  for (const char* name : {"libraries/hf_clip_classifier", "libraries/hf_siglip_classifier"}) {
    const Golden golden(name);
    ModelRequest request;
    request.path = golden.model->summary().path;
    request.pooling = "pooler";
    const auto pooled = openModel(request);
    // A network without a classifier gives what the library calls pooler_output, or of CLIP the
    // normed tokens, the first of which is that.
    const ReconfiguredCase bare(name, withoutClass);
    rewrite(bare, [](std::string& tensor, torch::Tensor&) {
      if (tensor.starts_with("classifier.")) tensor.clear();
    });
    const auto features = inspect(*openModel(bare.request()), golden.input())->features;
    const StateDict state = readCheckpoint(request.path).state;
    const torch::Tensor& weight = *state.find("classifier.weight");
    const torch::Tensor& bias = *state.find("classifier.bias");
    const auto logits = inspect(*pooled, golden.input())->logits;
    ASSERT_EQ(static_cast<std::int64_t>(logits.size()), weight.size(0));
    for (std::int64_t i = 0; i < weight.size(0); ++i) {
      double expected = bias[i].item<double>();
      for (std::int64_t j = 0; j < weight.size(1); ++j) {
        expected += weight[i][j].item<double>() * features(0, j);
      }
      EXPECT_NEAR(logits[i], expected, 1e-4) << name << ' ' << i;
    }
  }
}

/// A golden case, and what the network's own names begin with.
struct Wrapped {
  const char* name;
  std::string own;
  std::string added = {};  ///< in front of the names that the case has

  friend void PrintTo(const Wrapped& one, std::ostream* stream) { *stream << one.name; }
};

/// The case behind which stand layers that are no classifier of the library's.
class WrappedNetworkTest : public ::testing::TestWithParam<Wrapped> {
 protected:
  static void addOwnHead(const ReconfiguredCase& one) {
    rewrite(
        one,
        [](std::string& name, torch::Tensor&) {
          if (name.find("classifier.") != std::string::npos) {
            name.clear();
          } else {
            name = GetParam().added + name;
          }
        },
        [](StateDict& state) {
          for (const char* layer : {"classifier.1", "classifier.3", "norm_of_mine"}) {
            state.insert(std::string(layer) + ".weight", torch::ones({3, 3}));
            state.insert(std::string(layer) + ".bias", torch::ones({3}));
          }
        });
  }
};

TEST_P(WrappedNetworkTest, OpensBesideAClassifierOfSomebodysOwn) {
  for (const char* configuration : {withoutClass, ""}) {
    const ReconfiguredCase own(GetParam().name, configuration);
    addOwnHead(own);
    const auto model = openModel(own.request());
    const ModelSummary& summary = model->summary();
    EXPECT_THAT(summary.foreign, IsEmpty()) << configuration;
    EXPECT_THAT(summary.beside,
                UnorderedElementsAreArray({"classifier.1.weight", "classifier.1.bias",
                                           "classifier.3.weight", "classifier.3.bias",
                                           "norm_of_mine.weight", "norm_of_mine.bias"}));
    EXPECT_THAT(summary.reason, HasSubstr("of something that is not computed"));
    EXPECT_EQ(summary.classes, 0);
    EXPECT_FALSE(summary.counterfactual);
  }
}

TEST_P(WrappedNetworkTest, IsRefusedWithUnknownPartsOfItsOwn) {
  const ReconfiguredCase own(GetParam().name, "");
  addOwnHead(own);
  rewrite(own, leaveAsIs, [](StateDict& state) {
    state.insert(GetParam().own + "gate.weight", torch::ones({3, 3}));
  });
  EXPECT_THAT(identifyModel(own.request()).foreign, ElementsAre(GetParam().own + "gate.weight"));
}

TEST_P(WrappedNetworkTest, IsRefusedBesideAnythingLarger) {
  const ReconfiguredCase own(GetParam().name, "");
  addOwnHead(own);
  rewrite(own, leaveAsIs, [](StateDict& state) {
    state.insert("language_model.weight", torch::ones({2048, 2048}));
  });
  EXPECT_THAT(identifyModel(own.request()).foreign, Contains("language_model.weight"));
}

TEST_P(WrappedNetworkTest, IsRefusedBesideWhatMayChangeItsInput) {
  for (const char* name : {"soft_prompts", "input_adapter.weight", "stem.0.weight"}) {
    const ReconfiguredCase own(GetParam().name, "");
    addOwnHead(own);
    rewrite(own, leaveAsIs, [&](StateDict& state) { state.insert(name, torch::ones({3, 3})); });
    EXPECT_THAT(identifyModel(own.request()).foreign, Contains(name));
  }
}

TEST(WrappedNetwork, ItsTypeInConfigJsonAllowsNoPromptsEither) {
  for (const char* name : {"hub/hf_vit", "hub/hf_dinov2"}) {
    const ReconfiguredCase own(name, withoutClass);
    rewrite(own, leaveAsIs, [](StateDict& state) {
      state.insert("soft_prompts", torch::ones({1, 3, 64}));
    });
    EXPECT_THAT(test::messageOf<ModelError>([&] { openModel(own.request()); }),
                HasSubstr("'soft_prompts'"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Library, WrappedNetworkTest,
    ::testing::Values(Wrapped{"hub/hf_vit", "vit."}, Wrapped{"hub/hf_deit_distilled", "deit."},
                      Wrapped{"hub/hf_ijepa", "ijepa."}, Wrapped{"hub/hf_dinov2", "dinov2."},
                      Wrapped{"hub/hf_dinov2_registers", "dinov2_with_registers."},
                      Wrapped{"libraries/hf_clip_vision", "clip.vision_model.", "clip."},
                      Wrapped{"libraries/hf_clip_classifier", "vision_model."},
                      Wrapped{"libraries/hf_siglip_vision", "siglip.vision_model.", "siglip."},
                      Wrapped{"libraries/hf_dinov3", "encoder.", "encoder."}),
    [](const auto& one) {
      const std::string name = one.param.name;
      return name.substr(name.find('/') + 1);
    });

TEST(WrappedNetwork, PretrainingWithHiddenPatchesLeavesNothingUnknown) {
  for (const auto& one : {std::pair<const char*, std::string>{"hub/hf_vit", "vit."},
                          {"hub/hf_deit_distilled", "deit."}}) {
    const char* name = one.first;
    const ReconfiguredCase pretrained(name, "");
    rewrite(
        pretrained,
        [](std::string& tensor, torch::Tensor&) {
          if (tensor.find("classifier.") != std::string::npos) tensor.clear();
        },
        [&](StateDict& state) {
          state.insert("decoder.0.weight", torch::ones({192, 64, 1, 1}));
          state.insert("decoder.0.bias", torch::ones({192}));
          state.insert(one.second + "embeddings.mask_token", torch::ones({1, 1, 64}));
        });
    const ModelSummary summary = identifyModel(pretrained.request());
    EXPECT_THAT(summary.foreign, IsEmpty()) << name;
    EXPECT_FALSE(summary.counterfactual) << name;
  }
}

TEST(WrappedNetwork, ARefusalNamesTheTypeThatNoFamilyComputes) {
  const ReconfiguredCase owl("libraries/hf_clip_vision",
                             R"({"model_type": "owlvit_vision_model"})");
  rewrite(owl, [](std::string& name, torch::Tensor&) {
    const std::size_t at = name.find("pre_layrnorm");
    if (at != std::string::npos) name.replace(at, 12, "pre_layernorm");
  });
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(owl.request()); }),
              HasSubstr("says model_type 'owlvit_vision_model'"));
}

TEST(PublishedFacts, AreAssumedAtSizesThatNobodyPublished) {
  const auto guesses = [](const char* name) {
    return guessedOptions(identifyModel(ReconfiguredCase(name, "").request()));
  };
  EXPECT_THAT(guesses("libraries/hf_dinov3"),
              ElementsAre("heads", "activation", "epsilon", "rope_temperature", "mean", "std"));
  EXPECT_THAT(guesses("libraries/fb_dinov3"), Contains("epsilon"));
  EXPECT_THAT(guesses("libraries/fb_dinov3"), Not(Contains("rope_temperature")))
      << "the file has the periods";
  EXPECT_THAT(guesses("libraries/hf_clip_vision"), Contains("epsilon"));
  EXPECT_THAT(guesses("libraries/openai_clip"), Not(Contains("epsilon")));
  EXPECT_THAT(guesses("libraries/hf_siglip_vision"), Contains("epsilon"));
  EXPECT_THAT(guesses("libraries/hf_siglip_vision"), Contains("activation"));
  EXPECT_THAT(guesses("libraries/hf_vit_msn_mixed"), Contains("epsilon"));
  EXPECT_THAT(guesses("libraries/hf_mobilevit"), Contains("output_stride"));
  EXPECT_THAT(guesses("libraries/hf_mobilevit"), Contains("hidden_act"));
}

TEST(SharedPositions, AreKnownWithoutAConfigurationByWhatConnectsTexts) {
  for (const char* connector : {"", "model.connector.modality_projection.proj.weight",
                                "multi_modal_projector.cross_attn.q_proj.weight"}) {
    const ReconfiguredCase bare("libraries/hf_siglip_vision", "");
    rewrite(
        bare, [](std::string&, torch::Tensor&) {},
        [&](StateDict& state) {
          if (*connector != '\0') state.insert(connector, torch::ones({4, 4}));
        });
    const auto model = openModel(bare.request());
    const InputTransform& made = model->summary().transform;
    const auto check = [&] { model->network().checkInputSize(made.height, 2 * made.width); };
    if (*connector == '\0') {
      EXPECT_NO_THROW(check());
    } else {
      EXPECT_THROW(check(), InspectionError) << connector;
    }
  }
}

}  // namespace
}  // namespace softscope
