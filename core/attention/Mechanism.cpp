#include "core/attention/Mechanism.h"

#include "core/Error.h"
#include "core/text/Words.h"

namespace softscope {

namespace {

using Kernel = Mechanism::Bottleneck::Kernel;

std::vector<Mechanism> makeMechanisms() {
  return {
      {.name = "softmax",
       .title = "softmax",
       .operators = {{.name = "softmax",
                      .title = "softmax, its n × n matrix at once",
                      .quadratic = true,
                      .wholeMatrices = 2,  // One before and one after the softmax.
                      .keptMatrices = 1,
                      .usual = true},
                     {.name = "softmax_strips",
                      .title = "softmax in strips of queries",
                      .quadratic = true,
                      .keptMatrices = 1,
                      .usual = true}}},
      {.name = "softmax_class", .title = "softmax of the class token", .variantOf = "softmax"},
      {.name = "softmax_pool", .title = "softmax of a learned query", .variantOf = "softmax"},
      {.name = "softmax_relative",
       .title = "softmax with relative positions",
       .variantOf = "softmax"},
      {.name = "softmax_offset",
       .title = "softmax among pixels at equal offsets",
       .variantOf = "softmax"},
      {.name = "softmax_window", .title = "softmax within windows", .variantOf = "softmax"},
      {.name = "talking_heads", .title = "talking heads"},
      {.name = "gated_positional", .title = "gated positional attention"},
      {.name = "soft",
       .title = "SOFT",
       .hasLandmarks = true,
       .bottleneck = {{.kernel = Kernel::Gaussian, .inverse = InverseScheme::Soft}},
       .operators = {{.name = "soft", .usual = true}}},
      {.name = "soft++",
       .title = "SOFT++",
       .alias = "soft_norm",
       .variantOf = "soft",
       .hasLandmarks = true,
       .bottleneck = {{.kernel = Kernel::Gaussian,
                       .inverse = InverseScheme::SoftNorm,
                       .normalised = true}},
       .operators = {{.name = "soft++", .usual = true}}},
      {.name = "gaussian", .title = "exact Gaussian kernel", .neverTrained = true},
      {.name = "nystromformer",
       .title = "Nyströmformer",
       .hasLandmarks = true,
       .bottleneck = {{.kernel = Kernel::Softmax,
                       .inverse = InverseScheme::Nystromformer,
                       .pooledLandmarks = true}},
       .operators = {{.name = "nystromformer", .usual = true}}},
      {.name = "nystrom",
       .title = "Nyströmformer over runs of tokens",
       .variantOf = "nystromformer",
       .hasLandmarks = true},
      {.name = "linformer",
       .title = "Linformer",
       .hasLandmarks = true,
       .hasOtherFactors = true,
       .operators = {{.name = "linformer", .usual = true}}},
      {.name = "performer",
       .title = "Performer",
       .operators = {{.name = "performer", .usual = true}}},
      {.name = "performer_relu", .title = "Performer with ReLU", .variantOf = "performer"},
      {.name = "sima",
       .title = "SimA",
       .normalisesChannels = true,
       .twins = {{.quadratic = "sima_quadratic", .softmax = "softmax"}},
       .operators = {{.name = "sima", .title = "SimA as Q (K^T V)", .usual = true},
                     {.name = "sima_quadratic",
                      .title = "SimA as (Q K^T) V",
                      .quadratic = true,
                      .wholeMatrices = 1,
                      .keptMatrices = 1,
                      .usual = true}}},
      {.name = "sima_class",
       .title = "SimA of the class token",
       .variantOf = "sima",
       .normalisesChannels = true},
      {.name = "sima_l2",
       .title = "SimA with l2 norms",
       .variantOf = "sima",
       .normalisesChannels = true,
       .neverTrained = true},
      {.name = "sima_l2_class",
       .title = "SimA of the class token with l2 norms",
       .variantOf = "sima",
       .normalisesChannels = true,
       .neverTrained = true},
      {.name = "sima_unnormalised",
       .title = "SimA without normalisation",
       .variantOf = "sima",
       .neverTrained = true},
      {.name = "sima_unnormalised_class",
       .title = "SimA of the class token without normalisation",
       .variantOf = "sima",
       .neverTrained = true},
      {.name = "elu", .title = "linear attention, ELU", .operators = {{.name = "elu"}}},
      {.name = "elu1", .title = "linear attention, ELU + 1", .variantOf = "elu"},
      {.name = "relu", .title = "linear attention, ReLU", .variantOf = "elu"},
      {.name = "efficient", .title = "Efficient attention", .operators = {{.name = "efficient"}}},
      {.name = "softmax2", .title = "Efficient attention, scaled", .variantOf = "efficient"},
      {.name = "cosformer", .title = "CosFormer", .operators = {{.name = "cosformer"}}},
      {.name = "cosformer_plain",
       .title = "CosFormer without re-weighting",
       .variantOf = "cosformer",
       .operators = {{.name = "cosformer_plain"}}},
      {.name = "litemla", .title = "multi-scale linear attention"},
      {.name = "mlla", .title = "MILA", .alias = "mila"},
      {.name = "rala", .title = "RALA"},
      {.name = "inline", .title = "InLine attention"},
      {.name = "agent", .title = "Agent attention", .hasOtherFactors = true},
      {.name = "focused", .title = "focused linear attention"},
      {.name = "pola", .title = "polarity-aware linear attention"},
      {.name = "slab", .title = "simplified linear attention"},
      {.name = "vssd", .title = "non-causal state space"},
      {.name = "mhla", .title = "linear attention mixed block by block"},
      {.name = "gla", .title = "gated linear attention"},
      {.name = "circulant", .title = "circulant attention"},
      {.name = "additive", .title = "additive attention", .hasOtherFactors = true},
      {.name = "mamba", .title = "selective scan"},
      {.name = "vmamba", .title = "four selective scans"},
      {.name = "bi_wkv", .title = "bidirectional WKV"},
      {.name = "xca_channel",
       .title = "cross-covariance attention",
       .overChannels = true,
       .operators = {{.name = "xca_channel"}}},
      {.name = "nonlocal", .title = "non-local"},
      {.name = "nonlocal_gaussian", .title = "Gaussian non-local"},
      {.name = "nonlocal_concatenation", .title = "concatenation non-local"},
      {.name = "nonlocal_magnitude", .title = "non-local, magnitudes"},
      {.name = "nonlocal_direction", .title = "non-local, directions"},
      {.name = "nonlocal_scaled",
       .title = "scaled non-local",
       .operators = {{.name = "nonlocal_scaled"}}},
      {.name = "nonlocal_scaled_magnitude", .title = "scaled non-local, magnitudes"},
      {.name = "nonlocal_scaled_direction", .title = "scaled non-local, directions"},
      {.name = "nonlocal_dot", .title = "dot-product non-local"},
      {.name = "nonlocal_dot_magnitude", .title = "dot-product non-local, magnitudes"},
      {.name = "nonlocal_dot_direction", .title = "dot-product non-local, directions"},
  };
}

}  // namespace

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all = makeMechanisms();
  return all;
}

const Mechanism* findMechanism(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.name == name || mechanism.alias == name) return &mechanism;
  }
  return nullptr;
}

const Mechanism& mechanismNamed(std::string_view name) {
  if (const Mechanism* mechanism = findMechanism(name)) return *mechanism;
  throw InspectionError("there is no attention mechanism \"" + std::string(name) + "\"");
}

const Mechanism& traitsOf(std::string_view name) {
  static const Mechanism unknown;
  const Mechanism* mechanism = findMechanism(name);
  return mechanism != nullptr ? *mechanism : unknown;
}

std::string titleOfMechanism(const std::string& name) {
  const Mechanism* mechanism = findMechanism(name);
  return mechanism != nullptr ? std::string(mechanism->title) : name;
}

bool takesLandmarks(std::string_view name) {
  const Mechanism* mechanism = findMechanism(name);
  return mechanism != nullptr && mechanism->bottleneck.has_value();
}

std::string mechanismsWithBottleneck() {
  std::vector<std::string> titles;
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.bottleneck) titles.emplace_back(mechanism.title);
  }
  return listedWithOr(titles);
}

}  // namespace softscope
