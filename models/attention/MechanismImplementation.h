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

/// Maps query, key and value [1, heads, n, d] to the result [1, heads, n, d].
using AttentionOperator =
    std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&, const torch::Tensor&)>;

/// The code that runs when one of a mechanism's operators is measured.
struct OperatorImplementation {
  /// The name of the MeasuredOperator.
  std::string_view name;
  /// Creates the operator with everything it needs besides query, key and value, filled with random
  /// numbers.
  AttentionOperator (*make)(const CostRequest& request) = nullptr;
  /// Returns the number of elements in the matrices of one head whose product is the operator's
  /// attention.
  std::int64_t (*factorNumbers)(const CostRequest& request) = nullptr;
};

/// The implementation of a mechanism, from which cost figures and networks of SOFT's pyramid are
/// built. Its name and traits are in its Mechanism.
struct MechanismImplementation {
  const Mechanism* mechanism = nullptr;
  /// Creates the kernel for SOFT's pyramid; null if the pyramid cannot use the mechanism.
  std::shared_ptr<PyramidKernel> (*makeKernel)(const PyramidAttentionOptions& options) = nullptr;
  /// The kernel's parameter or buffer that only this mechanism has, by which weights are
  /// recognised; empty if its only parameters are the projections.
  std::string ownParameter;
  /// Completes what initialise() does for a pyramid that is trained from scratch; null if nothing
  /// is left to do.
  void (*fill)(const std::vector<PyramidStage>& stages, torch::nn::Module& network) = nullptr;
  /// Implementations of the mechanism's operators.
  std::vector<OperatorImplementation> operators;
};

// Each function is defined in its mechanism's file. Declare a new one here, and enter it below.

/// Measured all at once, as published, and in strips of queries, as softmaxAttention() computes it.
MechanismImplementation softmaxImplementation();
MechanismImplementation linformerImplementation();
MechanismImplementation performerImplementation();
MechanismImplementation nystromformerImplementation();
/// Measured in both orders of multiplication.
MechanismImplementation simaImplementation();
/// SimA with l2 norms.
MechanismImplementation simaL2Implementation();
/// SimA without normalisation.
MechanismImplementation unnormalisedSimaImplementation();
MechanismImplementation eluImplementation();
MechanismImplementation efficientImplementation();
MechanismImplementation cosformerImplementation();
/// CosFormer without its re-weighting.
MechanismImplementation plainCosformerImplementation();
/// SOFT, for costs only; its networks are in models/soft. Computes m landmarks as the released code
/// does, by a strided convolution, a LayerNorm and a GELU. Its windows are runs of tokens, so that
/// m does not depend on n.
MechanismImplementation softImplementation();
/// SOFT++, with SOFT's landmarks; for costs only.
MechanismImplementation softNormImplementation();
/// Implements `nonlocal_scaled`, whose cost represents the linear forms.
MechanismImplementation scaledNonLocalImplementation();
/// XCiT's attention, for costs only; SOFT's pyramid does not support it.
MechanismImplementation crossCovarianceImplementation();

/// All implementations; those of the pyramid are in the order in which they are listed to users.
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

/// Returns all mechanisms that the pyramid supports or whose cost can be measured, in that order.
const std::vector<MechanismImplementation>& mechanismImplementations();

/// Returns options for tensors on the measured device.
torch::TensorOptions costOptions(const CostRequest& request);
/// Returns the number of channels per head of the measured operator.
std::int64_t headWidth(const CostRequest& request);
/// Returns the number of elements in factors of query and key, n x d each, of the measured
/// operator.
std::int64_t queryAndKeyNumbers(const CostRequest& request);

}  // namespace softscope
