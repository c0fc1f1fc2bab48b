#include "core/checkpoint/ModuleAttributes.h"
#include "core/checkpoint/PickledMetadata.h"
#include "core/checkpoint/PickledModule.h"
#include "core/files/WorkBudget.h"
#include "tests/core/checkpoint/PickledValues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::PickledValues;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// A module of two blocks as timm builds them, whose numbers of heads and activations are given.
PickleValue* visionTransformer(PickledValues& values, const std::vector<int>& heads,
                               const std::vector<std::string>& activations) {
  PickleValue* model = values.module("timm.models.vision_transformer.VisionTransformer");
  values.set(*model, "global_pool", values.text("avg"));
  PickleValue* list = values.module("torch.nn.modules.container.Sequential");
  for (std::size_t i = 0; i < heads.size(); ++i) {
    PickleValue* block = values.module("timm.models.vision_transformer.Block");
    PickleValue* attention = values.module("timm.layers.attention.Attention");
    values.set(*attention, "num_heads", values.number(heads[i]));
    values.set(*attention, "head_dim", values.number(16));
    values.set(*attention, "scale", values.fraction(0.25));
    PickleValue* mlp = values.module("timm.layers.mlp.Mlp");
    values.put(*mlp, "_modules", "act", values.module(activations[i]));
    PickleValue* norm = values.module("torch.nn.modules.normalization.LayerNorm");
    values.set(*norm, "eps", values.fraction(1e-5));
    values.put(*block, "_modules", "norm1", norm);
    values.put(*block, "_modules", "attn", attention);
    values.put(*block, "_modules", "mlp", mlp);
    values.put(*list, "_modules", std::to_string(i), block);
  }
  values.put(*model, "_modules", "blocks", list);
  PickleValue* norm = values.module("timm.layers.norm.LayerNorm");
  values.set(*norm, "eps", values.fraction(1e-6));
  values.put(*model, "_modules", "norm", norm);
  return model;
}

std::map<std::string, std::string> told(const PickleValue& module) {
  WorkBudget work(1 << 20);
  return moduleAttributes(module, work);
}

TEST(ModuleAttributes, TellHeadsActivationEpsilonsAndPooling) {
  PickledValues values;
  const std::string relu = "torch.nn.modules.activation.ReLU";
  PickleValue* model = visionTransformer(values, {6, 6}, {relu, relu});
  EXPECT_THAT(told(*model),
              UnorderedElementsAre(Pair("num_heads", "6"), Pair("hidden_act", "relu"),
                                   Pair("global_pool", "avg"), Pair("layer_norm_eps", "1e-06"),
                                   Pair("block_eps", "1e-05")));
  WorkBudget work(1 << 20);
  PickleValue* file = values.make(PickleValue::Kind::Dict);
  values.add(*file, "model", model);
  EXPECT_EQ(collectMetadata(*file, "model", work).at("module.num_heads"), "6");
  EXPECT_EQ(collectMetadata(*model, "", work).at("module.hidden_act"), "relu");
}

TEST(ModuleAttributes, WhatModulesDoNotAgreeOnIsNotTold) {
  PickledValues values;
  PickleValue* model =
      visionTransformer(values, {2, 4}, {"torch.nn.modules.activation.ReLU", "clip.QuickGELU"});
  const auto attributes = told(*model);
  EXPECT_EQ(attributes.at("num_heads"), "2,4") << "as of stages";
  EXPECT_FALSE(attributes.contains("hidden_act"));
  PickleValue* staged = values.module("author.Pyramid");
  const std::string gelu = "torch.nn.modules.activation.GELU";
  for (const int heads : {2, 4, 4, 8}) {
    values.put(*staged, "_modules", "stage" + std::to_string(staged->state->entries.size()),
               visionTransformer(values, {heads, heads}, {gelu, gelu}));
    values.set(*staged, "depth", values.number(heads));
  }
  EXPECT_EQ(told(*staged).at("num_heads"), "2,4,4,8");
  PickleValue* decoder = visionTransformer(values, {16}, {"torch.nn.modules.activation.GELU"});
  PickleValue* whole = values.module("author.Autoencoder");
  values.put(*whole, "_modules", "encoder",
             visionTransformer(values, {3}, {"torch.nn.modules.activation.SiLU"}));
  values.put(*whole, "_modules", "decoder", decoder);
  EXPECT_EQ(told(*whole).at("num_heads"), "3");
  EXPECT_EQ(told(*whole).at("hidden_act"), "silu");
  EXPECT_THAT(told(*values.make(PickleValue::Kind::Dict)), IsEmpty());
}

TEST(ModuleAttributes, AnUnusualScaleIsTold) {
  PickledValues values;
  PickleValue* model = values.module("author.Vit");
  PickleValue* list = values.module("torch.nn.modules.container.ModuleList");
  PickleValue* attention = values.module("author.Attention");
  values.set(*attention, "heads", values.number(3));
  values.set(*attention, "head_dim", values.number(16));
  values.set(*attention, "scale", values.fraction(0.5));
  values.put(*list, "_modules", "0", attention);
  values.put(*model, "_modules", "layers", list);
  EXPECT_EQ(told(*model).at("attention_scale"), "0.5");
}

// torch.save's default protocol writes a set as a call of its class.
TEST(PickledModule, BuffersThatStateDictLeavesOutAreNamedInAnyProtocol) {
  using Kind = PickleValue::Kind;
  for (const bool isCall : {false, true}) {
    PickledValues values;
    PickleValue* model = values.module("author.Vit");
    PickleValue* tensor = values.tensor({4});
    values.put(*model, "_buffers", "mask", tensor);
    values.put(*model, "_buffers", "mean", tensor);
    PickleValue* names = values.make(isCall ? Kind::List : Kind::Set);
    names->items.push_back(values.text("mask"));
    PickleValue* set = names;
    if (isCall) {
      set = values.make(Kind::Object);
      set->callable = values.global("__builtin__.set");
      set->arguments = values.tuple({names});
    }
    values.set(*model, "_non_persistent_buffers_set", set);
    WorkBudget work(1 << 20);
    EXPECT_THAT(temporaryBuffers(*model, work), ElementsAre("mask"));
    EXPECT_EQ(moduleEntries(*model, work).size(), 2U);
  }
}

}  // namespace
}  // namespace softscope
