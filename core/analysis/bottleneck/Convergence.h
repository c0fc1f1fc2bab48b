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
  /// Iterate in float32, as the code does, rather than in float64. What is measured is always
  /// measured in float64.
  bool singlePrecision = false;
  /// Of the pseudo-inverse that the distance is measured to.
  double rcond = 1e-12;
};

/// How the iteration of one head comes near the inverse of B, the matrix that its scheme inverts;
/// entry k is after k steps, spectral norms throughout; infinite once an iterate is not finite.
/// Propositions are those of SOFT++ ("Softmax-free Linear Transformers", 2024, arXiv 2207.03341).
struct ConvergenceCurves {
  /// |B V B - B| / |B|: Fig. 4 of "SOFT: Softmax-free Transformer with Linear Complexity", 2021,
  /// arXiv 2110.11945.
  std::vector<double> residual;
  /// |A V A - A| / |A|, against the bottleneck matrix A itself. It differs from `residual` for
  /// SOFT, whose code inverts A + 0.01 I.
  std::vector<double> residualRaw;
  /// |V - pinv(B)| / |pinv(B)|.
  std::vector<double> inverseDistance;
  /// |V B V - V| / |V|: the one that Proposition 2 promises nothing about.
  std::vector<double> reflexiveResidual;
  /// As in InverseStart.
  int halvings = 0;
  bool boundMet = true;
};

/// Of every head of a layer. Throws InspectionError where there is no bottleneck matrix or the
/// scheme is not one for it; reports progress, may throw Cancelled.
std::vector<ConvergenceCurves> convergence(const LayerInspection& layer,
                                           const ConvergenceOptions& options,
                                           const Progress& progress = {});

/// The residual at which a head counts as inverted.
inline constexpr double convergedResidual = 1e-3;

/// The first step at which a curve is at most `threshold`, if it ever is.
std::optional<int> firstWithin(const std::vector<double>& curve,
                               double threshold = convergedResidual);

/// Whether a curve falls with every step until it has reached its floor, as `residual` and
/// `inverseDistance` must (Proposition 2 of "Softmax-free Linear Transformers", 2024, arXiv
/// 2207.03341). What rounding does at the floor does not count: within ten times the smallest
/// value, and under 1e-3. A curve that never falls does not fall.
bool fallsToItsFloor(const std::vector<double>& curve);

}  // namespace softscope
