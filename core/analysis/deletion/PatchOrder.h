#pragma once

#include "core/model/InputTransform.h"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Returns all patches by falling score. Patches of the same score are ordered as in
/// randomPatchOrder() with that seed, so that a map that says nothing is no better and no worse
/// than chance; left to right and top to bottom would not ensure that. Scores that are NaN come
/// last.
std::vector<int> patchOrder(const Eigen::VectorXd& scores, std::uint32_t seed);

/// Returns an order of `patches`, chosen uniformly among all orders; the same on every machine.
std::vector<int> randomPatchOrder(int patches, std::uint32_t seed);

/// Returns a checksum of the picture as a network sees it: its size at the network's input and its
/// colours in 255 steps. Models whose means and deviations differ share it, and the file's place,
/// its name and other computations do not matter.
std::string pictureIdentity(const InputTensor& input, const InputTransform& transform);

/// Returns the seed of one random order of a picture: the first 32 bits of the SHA-256 of
/// `IDENTITY:NUMBER`. Every picture has its own orders, so that the error of chance falls with the
/// number of pictures.
std::uint32_t orderSeed(const std::string& identity, int number);

/// The number of the order that ranks patches of the same score; the orders that maps are compared
/// with are numbered from 1.
inline constexpr int tieOrderNumber = 0;

}  // namespace softscope
