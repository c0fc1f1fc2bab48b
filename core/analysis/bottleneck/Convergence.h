#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"
#include "core/linalg/NewtonRaphson.h"

#include <optional>
#include <vector>

namespace softscope {

struct ConvergenceOptions {
  InverseScheme scheme = InverseScheme::Soft;
  int iterations = 20;
  /// True to iterate in float32, as the released code does, instead of float64. Measurements are
  /// always made in float64.
  bool singlePrecision = false;
  /// Relative cutoff of the pseudo-inverse that the distance is measured to.
  double rcond = 1e-12;
};

/// How the iteration of one head approaches the inverse of B, the matrix that its scheme inverts.
/// Entry k is the value after k steps. All norms are spectral norms, and infinite once an iterate
/// is not finite. Propositions are those of SOFT++ ("Softmax-free Linear Transformers", 2024, arXiv
/// 2207.03341).
struct ConvergenceCurves {
  /// |B V B - B| / |B|: Fig. 4 of "SOFT: Softmax-free Transformer with Linear Complexity", 2021,
  /// arXiv 2110.11945.
  std::vector<double> residual;
  /// |A V A - A| / |A|, against the bottleneck matrix A itself. It differs from `residual` for
  /// SOFT, whose code inverts A + 0.01 I.
  std::vector<double> residualRaw;
  /// |V - pinv(B)| / |pinv(B)|.
  std::vector<double> inverseDistance;
  /// |V B V - V| / |V|, the reflexive residual. Proposition 2 does not promise that it falls.
  std::vector<double> reflexiveResidual;
  /// Values of the start, as in InverseStart.
  int halvings = 0;
  bool boundMet = true;
};

/// Returns the curves of every head of a layer. Throws InspectionError if there is no bottleneck
/// matrix or the scheme does not apply to it; reports progress, may throw Cancelled.
std::vector<ConvergenceCurves> convergence(const LayerInspection& layer,
                                           const ConvergenceOptions& options,
                                           const Progress& progress = {});

/// The residual at which a head counts as inverted.
inline constexpr double convergedResidual = 1e-3;

/// Returns the first step at which a curve is at most `threshold`; empty if it never is.
std::optional<int> firstWithin(const std::vector<double>& curve,
                               double threshold = convergedResidual);

/// True if a curve falls with every step until it reaches its floor, as `residual` and
/// `inverseDistance` must (Proposition 2 of "Softmax-free Linear Transformers", 2024, arXiv
/// 2207.03341). Rounding at the floor is ignored: values within ten times the smallest one, and
/// below 1e-3. False for a curve that never falls.
bool fallsToItsFloor(const std::vector<double>& curve);

}  // namespace softscope
