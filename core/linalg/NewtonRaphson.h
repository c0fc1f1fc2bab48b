#pragma once

#include "core/Matrix.h"
#include "core/attention/InverseScheme.h"

#include <string>
#include <vector>

namespace softscope {

/// Steps that the code of SOFT and of SOFT++ takes.
inline constexpr int releasedSteps = 20;

/// `released` for the code's own, `theorem`, `backtracking`, `backtracking-printed`,
/// `nystromformer`.
std::string schemeName(InverseScheme scheme);

/// The schemes that make sense for a mechanism's bottleneck matrix, the released one first; empty
/// for a mechanism without one. Newton-Raphson from a A needs a symmetric A, so Nyströmformer's has
/// its own alone.
std::vector<InverseScheme> schemesFor(const std::string& mechanism);

/// Where an iteration begins.
struct InverseStart {
  /// B, the matrix that the scheme inverts.
  Eigen::MatrixXd matrix;
  /// V_0.
  Eigen::MatrixXd inverse;
  /// Halvings of a, and whether they met the scheme's bound. |I - a A A|_1 <= 1 cannot be met at
  /// all unless A A is dominated by its diagonal; after 10 halvings the search ends, as the code's.
  int halvings = 0;
  bool boundMet = true;
};

/// Of all heads of one picture, A each, [m, m].
std::vector<InverseStart> startInverse(const std::vector<Matrix>& kernels, InverseScheme scheme);

/// V_{k+1} = 2V - V B V, or Nystromformer's V/4 (13 I - B V (15 I - B V (7 I - B V))), in the
/// matrices' own precision.
Eigen::MatrixXd nextInverse(const Eigen::MatrixXd& inverse, const Eigen::MatrixXd& matrix,
                            InverseScheme scheme);
Eigen::MatrixXf nextInverse(const Eigen::MatrixXf& inverse, const Eigen::MatrixXf& matrix,
                            InverseScheme scheme);

}  // namespace softscope
