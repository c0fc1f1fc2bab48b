#pragma once

#include <Eigen/Core>

#include <vector>

namespace softscope {

/// All patches by falling score. Those of one score stand as in randomPatchOrder() of seed 0, so
/// that a map that says nothing is no better and no worse than chance, as it would be from left to
/// right and top to bottom; scores that are not numbers come last.
std::vector<int> patchOrder(const Eigen::VectorXd& scores);

/// An even choice among all orders of `patches`, the same on every machine.
std::vector<int> randomPatchOrder(int patches, int seed);

}  // namespace softscope
