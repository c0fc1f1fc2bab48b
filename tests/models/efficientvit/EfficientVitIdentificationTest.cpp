#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::IsEmpty;

struct EfficientVitVariant {
  const char* name;
  std::vector<int> heads;  ///< of the stages with attention
  std::size_t layers;

  friend void PrintTo(const EfficientVitVariant& variant, std::ostream* stream) {
    *stream << variant.name;
  }
};

/// timm's name of a parameter of the authors'.
std::string timmName(const std::string& name, bool large) {
  static const std::regex stage(R"(backbone\.stages\.(\d+)\.op_list\.(\d+)\.(.*))");
  static const std::regex stem(R"(backbone\.input_stem\.op_list\.(\d+)\.(.*))");
  static const std::pair<const char*, const char*> head[] = {
      {"head.op_list.0.", "head.in_conv."},
      {"head.op_list.2.linear.", "head.classifier.0."},
      {"head.op_list.2.norm.", "head.classifier.1."},
      {"head.op_list.3.linear.", "head.classifier.4."}};
  const auto stemName = [](int index, const std::string& rest) {
    return (index == 0 ? "stem.in_conv." : "stem.res" + std::to_string(index - 1) + ".") + rest;
  };
  std::smatch match;
  if (std::regex_match(name, match, stem)) return stemName(std::stoi(match[1]), match[2]);
  if (std::regex_match(name, match, stage)) {
    const int number = std::stoi(match[1]) - (large ? 1 : 0);
    if (number < 0) return stemName(std::stoi(match[2]), match[3]);
    return "stages." + std::to_string(number) + ".blocks." + match[2].str() + "." + match[3].str();
  }
  for (const auto& [authors, timms] : head) {
    if (name.starts_with(authors)) return timms + name.substr(std::string(authors).size());
  }
  return name;
}

Checkpoint withTimmNames(const std::string& variant) {
  Checkpoint checkpoint = zeros(variant);
  StateDict state;
  for (const auto& entry : checkpoint.state.entries()) {
    state.insert(timmName(entry.name, variant.find("_l") != std::string::npos), entry.tensor);
  }
  checkpoint.state = state;
  return checkpoint;
}

class PublishedEfficientVitTest : public ::testing::TestWithParam<EfficientVitVariant> {};

TEST_P(PublishedEfficientVitTest, IsIdentifiedUnderBothNames) {
  const auto& [name, heads, layers] = GetParam();
  for (const bool timm : {false, true}) {
    SCOPED_TRACE(timm ? "timm's names" : "the authors' names");
    const ModelSummary summary = identifyModel(timm ? withTimmNames(name) : zeros(name));
    EXPECT_EQ(summary.family, "efficientvit");
    EXPECT_EQ(summary.variant, name);
    EXPECT_EQ(summary.mechanism, "litemla");
    EXPECT_EQ(summary.parameters, publishedParameters(name));
    EXPECT_EQ(summary.classes, 1000);
    EXPECT_EQ(summary.heads, heads);
    EXPECT_EQ(summary.layers.size(), layers);
    EXPECT_EQ(summary.confidence(), 1.0);
    EXPECT_THAT(summary.headsAlternatives, IsEmpty());
    EXPECT_FALSE(summary.counterfactual);
    EXPECT_THAT(summary.missing, IsEmpty());
    EXPECT_THAT(summary.unexpected, IsEmpty());
    EXPECT_THAT(summary.wrongShape, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedEfficientVitTest,
                         ::testing::Values(EfficientVitVariant{"efficientvit_b0", {8, 16}, 4},
                                           EfficientVitVariant{"efficientvit_b1", {16, 32}, 7},
                                           EfficientVitVariant{"efficientvit_b2", {12, 24}, 10},
                                           EfficientVitVariant{"efficientvit_b3", {16, 32}, 15},
                                           EfficientVitVariant{"efficientvit_l1", {32}, 6},
                                           EfficientVitVariant{"efficientvit_l2", {32}, 8},
                                           EfficientVitVariant{"efficientvit_l3", {64}, 8}));

TEST(EfficientVitIdentification, ListsLayersByStage) {
  const ModelSummary small = identifyModel(zeros("efficientvit_b0"));
  EXPECT_EQ(small.layers.front().name, "backbone.stages.2.op_list.1.context_module.main");
  EXPECT_EQ(small.layers.front().stage, 3);
  EXPECT_EQ(small.layers.back().stage, 4);
  EXPECT_EQ(small.layers.back().heads, 16);
  const ModelSummary large = identifyModel(withTimmNames("efficientvit_l1"));
  EXPECT_EQ(large.layers.front().name, "stages.3.blocks.1.context_module.main");
  EXPECT_EQ(large.layers.front().stage, 4);
}

TEST(EfficientVitIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  expectEachTensorMayBeLost(zeros("efficientvit_b0"), "efficientvit_b0");
}

TEST(EfficientVitIdentification, PicturesAreAsLargeAsTheFilesNameSays) {
  const auto transform = [](Checkpoint checkpoint, const std::string& path) {
    checkpoint.path = path;
    return identifyModel(checkpoint).transform;
  };
  const Checkpoint small = zeros("efficientvit_b1");
  const InputTransform usual = transform(small, "b1-r224.pt");
  EXPECT_EQ(usual.height, 224);
  // The authors resize to 224 / 0.95 = 235.8, rounded up.
  EXPECT_EQ(std::lround(224 / usual.cropFraction), 236);
  EXPECT_EQ(transform(small, "efficientvit_b1_r288.pt").width, 288);
  const Checkpoint timms = withTimmNames("efficientvit_b1");
  EXPECT_DOUBLE_EQ(transform(timms, "efficientvit_b1.r224_in1k.pth").cropFraction, 0.95);
  EXPECT_DOUBLE_EQ(transform(timms, "efficientvit_b1.r256_in1k.pth").cropFraction, 1);
  const Checkpoint large = withTimmNames("efficientvit_l2");
  EXPECT_DOUBLE_EQ(transform(large, "efficientvit_l2.r224_in1k.pth").cropFraction, 1);
  EXPECT_EQ(transform(large, "efficientvit_l2.r384_in1k.pth").height, 384);
}

TEST(EfficientVitIdentification, HeadsAndMechanismAreTold) {
  ModelRequest request;
  request.heads = 16;
  EXPECT_NO_THROW(identifyModel(zeros("efficientvit_b0"), request));
  request.heads = 8;
  EXPECT_THROW(identifyModel(zeros("efficientvit_b0"), request), ModelError);
  request = {};
  request.attention = "softmax";
  EXPECT_THROW(identifyModel(zeros("efficientvit_b0"), request), ModelError);
}

TEST(EfficientVitIdentification, AClassifierAbsentAsAWholeIsABackbone) {
  const Checkpoint whole = zeros("efficientvit_b0");
  const ModelSummary summary = identifyModel(
      without(without(whole, "head.op_list.3.linear.weight"), "head.op_list.3.linear.bias"));
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
}

TEST(EfficientVitIdentification, ABackboneMayBeSavedAlone) {
  for (const char* name : {"efficientvit_b0", "efficientvit_l1"}) {
    const Checkpoint whole = zeros(name);
    const std::string prefix = "backbone.";
    Checkpoint alone = whole;
    alone.state = {};
    for (const auto& entry : whole.state.entries()) {
      if (entry.name.starts_with(prefix)) {
        alone.state.insert(entry.name.substr(prefix.size()), entry.tensor);
      }
    }
    const ModelSummary summary = identifyModel(alone);
    EXPECT_EQ(summary.variant, name);
    EXPECT_EQ(summary.classes, 0);
    EXPECT_THAT(summary.missing, IsEmpty());
    EXPECT_THAT(summary.unexpected, IsEmpty());
  }
}

TEST(EfficientVitIdentification, BiasesMayStandForNormsWithinAnyBlock) {
  const std::string norm = ".norm.weight";
  const Checkpoint whole = zeros("efficientvit_l1");
  Checkpoint fewer = whole;
  fewer.state = {};
  for (const auto& entry : whole.state.entries()) {
    const std::size_t at = entry.name.find(".norm.");
    const bool isInner = entry.name.find(".main.") != std::string::npos &&
                         (entry.name.find(".conv1.") != std::string::npos ||
                          entry.name.find(".spatial_conv.") != std::string::npos);
    if (!isInner || at == std::string::npos) {
      fewer.state.insert(entry.name, entry.tensor);
    } else if (entry.name.ends_with(norm)) {
      fewer.state.insert(entry.name.substr(0, at) + ".conv.bias", entry.tensor);
    }
  }
  const ModelSummary summary = identifyModel(fewer);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
}

TEST(EfficientVitIdentification, ShapesThatMakeNoHeadsAreRefused) {
  Checkpoint checkpoint = zeros("efficientvit_b0");
  StateDict state;
  for (const auto& entry : checkpoint.state.entries()) {
    const bool mixes = entry.name.ends_with(".aggreg.0.1.weight");
    state.insert(entry.name, mixes ? torch::zeros({192, 48, 1, 1}) : entry.tensor);
  }
  checkpoint.state = state;
  EXPECT_THROW(identifyModel(checkpoint), ModelError);
}

}  // namespace
}  // namespace softscope
