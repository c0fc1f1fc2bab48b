#pragma once

#include "core/model/InputTensor.h"
#include "core/model/InputTransform.h"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// All patches by falling score. Those of one score stand as in randomPatchOrder() of that seed, so
/// that a map that says nothing is no better and no worse than chance, as it would be from left to
/// right and top to bottom; scores that are not numbers come last.
std::vector<int> patchOrder(const Eigen::VectorXd& scores, std::uint32_t seed);

/// An even choice among all orders of `patches`, the same on every machine.
std::vector<int> randomPatchOrder(int patches, std::uint32_t seed);

/// A checksum of the picture as a network sees it: the size that it is fed and its colours in 255
/// steps, so that models whose means and deviations differ share it, and where a file lies, what it
/// is called and what else is computed do not matter.
std::string pictureIdentity(const InputTensor& input, const InputTransform& transform);

/// The seed of one order at random of a picture: the first 32 bits of the SHA-256 of
/// `IDENTITY:NUMBER`. Every picture has orders of its own, so that the error of chance falls with
/// the number of pictures.
std::uint32_t orderSeed(const std::string& identity, int number);

/// The number of the order in which patches of one score stand; those that maps are compared with
/// are numbered from 1.
inline constexpr int tieOrderNumber = 0;

}  // namespace softscope
