#pragma once

#include "core/Matrix.h"

#include <string>

namespace softscope {

/// Describes how far the weights of a query are from uniform, for the text beside their map:
/// `largest 1.6 × uniform` is the ratio of the largest weight to the mean; `nearly uniform, within
/// 1 %` if no weight is further than that from the mean, up to 5 %; for signed weights `largest 3.1
/// × the mean`, both of magnitudes, since signs cancel. Empty for fewer than two weights, for
/// zeros, and if a weight is not finite.
std::string proportionText(const Vector& weights);

/// Returns the proportionText() of weights that are uniform or nearly so; empty for all others.
std::string evennessText(const Vector& weights);

/// From this value on, a line score means that nearly all of a matrix is the same row for every
/// query, and an answerLikeness() that its rows are nearly the same except for their sizes.
inline constexpr double sameForEveryQuery = 0.95;

}  // namespace softscope
