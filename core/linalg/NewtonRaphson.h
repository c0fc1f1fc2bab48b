#pragma once

#include "core/Matrix.h"
#include "core/attention/Mechanism.h"

#include <string>
#include <vector>

namespace softscope {

/// Number of steps in the published code of SOFT and SOFT++.
inline constexpr int releasedSteps = 20;

/// Returns `released` for the published code's own scheme, or `theorem`, `backtracking`,
/// `backtracking-printed`, `nystromformer`.
std::string schemeName(InverseScheme scheme);

/// Returns the schemes that make sense for a mechanism's bottleneck matrix, the released one first;
/// empty for a mechanism without one. Newton-Raphson from a A needs a symmetric A, so Nyströmformer
/// has only its own scheme.
std::vector<InverseScheme> schemesFor(const std::string& mechanism);

/// The starting point of an iteration.
struct InverseStart {
  /// B, the matrix that the scheme inverts.
  Eigen::MatrixXd matrix;
  /// V_0.
  Eigen::MatrixXd inverse;
  /// Number of halvings of a, and whether they met the scheme's bound. |I - a A A|_1 <= 1 cannot be
  /// met unless A A is diagonally dominant; like the published code, the search ends after 10
  /// halvings.
  int halvings = 0;
  bool boundMet = true;
};

/// Returns the starting point of the iteration for every head of a layer on one picture; `kernels`
/// holds the heads' bottleneck matrices A, [m, m] each.
std::vector<InverseStart> startInverse(const std::vector<Matrix>& kernels, InverseScheme scheme);

/// Returns V_{k+1} = 2V - V B V, or Nyströmformer's V/4 (13 I - B V (15 I - B V (7 I - B V))), in
/// the matrices' own precision.
Eigen::MatrixXd nextInverse(const Eigen::MatrixXd& inverse, const Eigen::MatrixXd& matrix,
                            InverseScheme scheme);
Eigen::MatrixXf nextInverse(const Eigen::MatrixXf& inverse, const Eigen::MatrixXf& matrix,
                            InverseScheme scheme);

}  // namespace softscope
