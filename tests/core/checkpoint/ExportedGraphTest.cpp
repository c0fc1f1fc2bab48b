#include "core/checkpoint/ExportedGraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// A graph with one attention of 6 heads, 8 wide, one norm, and the arguments of both in JSON.
std::string graph(const std::string& ofAttention, const std::string& activation) {
  return R"({"graph_module": {"graph": {
    "tensor_values": {"q": {"sizes": [{"as_int": 1}, {"as_int": 6}, {"as_int": 17}, {"as_int": 8}]}},
    "nodes": [
      {"target": "torch.ops.aten.layer_norm.default",
       "inputs": [{"name": "eps", "arg": {"as_float": 1e-06}}]},
      {"target": "torch.ops.aten.scaled_dot_product_attention.default",
       "inputs": [{"name": "query", "arg": {"as_tensor": {"name": "q"}}})" +
         ofAttention + R"(]},
      {"target": "torch.ops.aten.)" +
         activation + R"(.default", "inputs": []}]}}})";
}

TEST(ExportedGraph, TellsHeadsActivationAndEpsilon) {
  EXPECT_THAT(attributesOfGraph(graph("", "relu")),
              UnorderedElementsAre(Pair("num_heads", "6"), Pair("hidden_act", "relu"),
                                   Pair("layer_norm_eps", "1e-06")));
}

TEST(ExportedGraph, TellsAMaskAndAnUnusualScale) {
  const auto told = attributesOfGraph(graph(R"(, {"name": "is_causal", "arg": {"as_bool": true}},
                 {"name": "scale", "arg": {"as_float": 0.5}})",
                                            "gelu"));
  EXPECT_EQ(told.at("is_causal"), "true");
  EXPECT_EQ(told.at("attention_scale"), "0.5");
  EXPECT_EQ(told.at("hidden_act"), "gelu");
}

TEST(ExportedGraph, OneOfAnotherVersionTellsNothing) {
  EXPECT_THAT(attributesOfGraph("{}"), IsEmpty());
  EXPECT_THAT(attributesOfGraph("no JSON"), IsEmpty());
  EXPECT_THAT(attributesOfGraph(R"({"graph_module": {"graph": {"nodes": [7]}}})"), IsEmpty());
}

}  // namespace
}  // namespace softscope
