#pragma once

#include "core/Matrix.h"

#include <string>

namespace softscope {

/// How far the weights of a query are from even ones, in words that stand beside their map:
/// `largest 1.6 × uniform`, the largest over the mean; `nearly uniform, within 1 %`, where none is
/// further than that from the mean, up to 5 %; of signed weights `largest 3.1 × the mean`, both of
/// magnitudes, as signs cancel. Empty for fewer than two, for zeros, and where one is not finite.
std::string proportionText(const Vector& weights);

/// The proportionText() of weights that are even or nearly so; empty for all others.
std::string evennessText(const Vector& weights);

/// A line score from here on says that nearly all of a matrix is the same row for every query, an
/// answerLikeness() that its rows are nearly the same but for their sizes.
inline constexpr double sameForEveryQuery = 0.95;

}  // namespace softscope
