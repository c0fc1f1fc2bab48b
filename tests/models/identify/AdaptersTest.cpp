#include "core/Error.h"
#include "models/OpenModel.h"
#include "models/identify/Adapters.h"
#include "models/identify/Quantisation.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

StateDict named(const std::vector<std::string>& names) {
  StateDict state;
  for (const std::string& name : names) state.insert(name, torch::zeros({2, 2}));
  return state;
}

std::string refusal(const std::vector<std::string>& added) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", added);
  return test::messageOf<ModelError>([&] { openModel(file.request()); });
}

TEST(Adapters, BesideTheirWeightsAreNamedWithTheAdvice) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"blocks.0.attn.qkv.lora_A", "LoRA adapters"},
      {"blocks.0.attn.qkv.linear_a_q.weight", "LoRA adapters"},
      {"blocks.0.attn.qkv.parametrizations.weight.0.lora_A", "LoRA adapters"},
      {"blocks.0.attn.ia3_l.default", "IA3 factors"},
      {"blocks.0.attn.qkv.hada_w1_a.default", "LoHa adapters"}};
  for (const auto& [name, kind] : kinds) {
    EXPECT_THAT(refusal({name}),
                AllOf(HasSubstr("is a network with " + kind + " beside the weights"),
                      HasSubstr("merge_and_unload()"), Not(HasSubstr("damaged"))));
  }
  EXPECT_THAT(refusal({"blocks.0.ssf_scale_a"}), HasSubstr("multiply them into the weights"));
  EXPECT_THAT(refusal({"blocks.0.adapter.down.weight"}),
              AllOf(HasSubstr("a network with adapters"), HasSubstr("docs/python.md")));
}

TEST(Adapters, AloneAreToldFromANetwork) {
  const std::string alone = adapterText(
      named({"base_model.model.blocks.0.q.lokr_w1", "base_model.model.blocks.0.q.lokr_w2"}), false);
  EXPECT_THAT(alone, HasSubstr("a set of LoKr adapters, which change the weights of another"));
  EXPECT_EQ(adapterText(named({"adapter.0.weight", "blocks.0.adapter.up.weight"}), false), "");
  EXPECT_THAT(partOfPeftText(named({"head.weight"}), "base_model.model."), HasSubstr("PEFT"));
  EXPECT_EQ(partOfPeftText(named({"head.weight"}), ""), "");
}

TEST(Adapters, WordsOfWrappersAreTakenOutOfNames) {
  const StateDict plain = withoutWrappersWords(
      named({"blocks.0._orig_mod.attn.qkv.weight", "_fsdp_wrapped_module.head.weight",
             "blocks.0._checkpoint_wrapped_module.attn.proj.base_layer.weight", "not_orig_mod.x"}));
  EXPECT_TRUE(plain.contains("blocks.0.attn.qkv.weight"));
  EXPECT_TRUE(plain.contains("head.weight"));
  EXPECT_TRUE(plain.contains("blocks.0.attn.proj.weight"));
  EXPECT_TRUE(plain.contains("not_orig_mod.x"));
  const StateDict unmerged = named({"fc.base_layer.weight", "fc.lora_A.default.weight"});
  EXPECT_TRUE(withoutWrappersWords(unmerged).contains("fc.base_layer.weight"));
  const StateDict twice = named({"fc._orig_mod.weight", "fc.weight"});
  EXPECT_EQ(withoutWrappersWords(twice).size(), 2U) << "two tensors would have one name";
}

TEST(Adapters, WrappedBlocksOpen) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const Checkpoint wrapped =
      withTensors(readCheckpoint(file.request().path), [](std::string& name, torch::Tensor&) {
        const std::string block = "blocks.0.";
        if (name.starts_with(block)) name.insert(block.size(), "_orig_mod.");
      });
  const ModelSummary summary = identifyModel(wrapped);
  EXPECT_TRUE(summary.missing.empty());
  EXPECT_TRUE(summary.foreign.empty());
}

TEST(Quantisation, IsToldByFewBitsAndByWhatScalesThem) {
  const auto told = [](const std::string& name, const torch::Tensor& tensor) {
    StateDict state;
    state.insert(name, tensor);
    return !quantisedText(state, "").empty();
  };
  EXPECT_TRUE(told("fc.weight._data", torch::zeros({2, 2}, torch::kInt8)));
  EXPECT_TRUE(told("fc.weight_int8", torch::zeros({2, 2}, torch::kInt8)));
  EXPECT_TRUE(told("fc.weight_scale", torch::zeros({2, 1})));
  EXPECT_TRUE(told("fc.zero_point", torch::zeros({}, torch::kInt64)));
  EXPECT_FALSE(told("attn.relative_position_index", torch::zeros({2, 2}, torch::kInt64)));
  EXPECT_FALSE(told("fc.weight", torch::zeros({2, 2})));
}

TEST(Quantisation, WholeNumbersThatNothingScalesAreCalledThat) {
  for (const auto type : {torch::kInt64, torch::kInt32, torch::kInt16, torch::kBool}) {
    StateDict state;
    state.insert("fc.weight", torch::ones({2, 2}).to(type));
    EXPECT_THAT(quantisedText(state, ""),
                AllOf(HasSubstr("whole numbers as weights (first 'fc.weight')"),
                      Not(HasSubstr("dequantise"))));
    EXPECT_THAT(quantisedText(state, "gptq"), HasSubstr("dequantise")) << "config.json says it";
    state.insert("fc.weight_scale", torch::ones({2}));
    EXPECT_THAT(quantisedText(state, ""), HasSubstr("dequantise"));
  }
}

TEST(Quantisation, ObserversComputeNothingAndFakeQuantisationDoes) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const std::string observer = "blocks.0.attn.qkv.activation_post_process.";
  Checkpoint prepared = readCheckpoint(file.request().path);
  prepared.state.insert(observer + "min_val", torch::zeros({1}));
  prepared.state.insert("activation_post_process_3.eps", torch::zeros({1}));
  const ModelSummary summary = identifyModel(prepared);
  EXPECT_EQ(summary.family, "deit");
  EXPECT_TRUE(summary.foreign.empty());
  EXPECT_THAT(summary.reason, HasSubstr("not computed: '" + observer + "min_val'"));
  for (const std::string& name : {observer + "fake_quant_enabled",
                                  std::string("blocks.0.attn.qkv.weight_fake_quant.scale")}) {
    Checkpoint rounding = prepared;
    rounding.state.insert(name, torch::ones({1}));
    EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(rounding); }),
                AllOf(HasSubstr("training with quantisation"), HasSubstr("'" + name + "'")));
  }
}

}  // namespace
}  // namespace softscope
