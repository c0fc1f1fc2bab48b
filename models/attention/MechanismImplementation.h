#pragma once

#include "core/analysis/Cost.h"
#include "core/attention/Mechanism.h"
#include "models/attention/PyramidKernel.h"

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// Query, key and value [1, heads, n, d] -> [1, heads, n, d].
using AttentionOperator =
    std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&, const torch::Tensor&)>;

/// What runs when one of a mechanism's operators is measured.
struct OperatorImplementation {
  /// Of the MeasuredOperator.
  std::string_view name;
  /// With whatever it has beside query, key and value, filled with random numbers.
  AttentionOperator (*make)(const CostRequest& request) = nullptr;
  /// Numbers in the matrices whose product the operator's attention is, of one head.
  std::int64_t (*factorNumbers)(const CostRequest& request) = nullptr;
};

/// What computes a mechanism: cost figures and networks of SOFT's pyramid are made from this. What
/// it is called, and what it is like, its Mechanism says.
struct MechanismImplementation {
  const Mechanism* mechanism = nullptr;
  /// Null where SOFT's pyramid does not take it.
  std::shared_ptr<PyramidKernel> (*makeKernel)(const PyramidAttentionOptions& options) = nullptr;
  /// The parameter or buffer of the kernel that this mechanism alone has, by which weights tell it;
  /// empty where its parameters are the projections alone.
  std::string ownParameter;
  /// What initialise() does not do for a pyramid that is trained from nothing; null for nothing.
  void (*fill)(const std::vector<PyramidStage>& stages, torch::nn::Module& network) = nullptr;
  /// Of each of the mechanism's operators.
  std::vector<OperatorImplementation> operators;
};

// Each stands in its mechanism's file; a new one is declared here, and entered below.

/// Measured at once, as published, and in strips of queries, as softmaxAttention() computes it.
MechanismImplementation softmaxImplementation();
MechanismImplementation linformerImplementation();
MechanismImplementation performerImplementation();
MechanismImplementation nystromformerImplementation();
/// Measured in both orders.
MechanismImplementation simaImplementation();
/// With l2 norms.
MechanismImplementation simaL2Implementation();
/// Without normalisation.
MechanismImplementation unnormalisedSimaImplementation();
MechanismImplementation eluImplementation();
MechanismImplementation efficientImplementation();
MechanismImplementation cosformerImplementation();
/// Without its re-weighting.
MechanismImplementation plainCosformerImplementation();
/// For costs alone: SOFT's networks are in models/soft. Through m landmarks made as the released
/// code makes them, by a convolution with stride, a LayerNorm and a GELU; its windows are runs of
/// tokens, so that m does not depend on n.
MechanismImplementation softImplementation();
/// SOFT++, with SOFT's landmarks.
MechanismImplementation softNormImplementation();
/// Of `nonlocal_scaled`, whose cost stands for the linear forms.
MechanismImplementation scaledNonLocalImplementation();
/// For costs alone: SOFT's pyramid does not take it.
MechanismImplementation crossCovarianceImplementation();

/// In the order in which the pyramid's are listed.
inline constexpr std::array implementationsInOrder{
    softmaxImplementation,
    linformerImplementation,
    performerImplementation,
    nystromformerImplementation,
    simaImplementation,
    simaL2Implementation,
    unnormalisedSimaImplementation,
    eluImplementation,
    efficientImplementation,
    cosformerImplementation,
    plainCosformerImplementation,
    softImplementation,
    softNormImplementation,
    scaledNonLocalImplementation,
    crossCovarianceImplementation,
};

/// All that the pyramid takes or whose cost can be measured, in that order.
const std::vector<MechanismImplementation>& mechanismImplementations();

/// Of tensors on the device that is measured.
torch::TensorOptions costOptions(const CostRequest& request);
/// Channels of a head of what is measured.
std::int64_t headWidth(const CostRequest& request);
/// Numbers in factors of query and key, n x d each, of what is measured.
std::int64_t queryAndKeyNumbers(const CostRequest& request);

}  // namespace softscope
