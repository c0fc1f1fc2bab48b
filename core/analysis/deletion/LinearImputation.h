#pragma once

#include "core/model/InputTransform.h"

#include <vector>

namespace softscope {

/// Returns `input` with the pixels imputed that are not `kept` [height * width]: each is the mean
/// of its eight neighbours, those beside it with weights 1/6 and those across its corners with 1/12
/// (at the border, of those there are), which is a sparse linear system ("A Consistent and
/// Efficient Evaluation Strategy for Attribution Methods", 2022, arXiv 2202.00449, Section 4.3).
/// If no pixel is kept, all are zero, the data set's mean colour.
InputTensor linearlyImputed(const InputTensor& input, const std::vector<bool>& kept);

/// Returns `count` independent numbers of a Gaussian with that deviation, the same on every
/// machine.
std::vector<float> imputationNoise(std::size_t count, double deviation);

/// The deviation of the noise that is added to imputed pixels, in units of the network's input, as
/// in the authors' code. Without it, smooth patches would give their shape away.
inline constexpr double imputationDeviation = 0.01;

}  // namespace softscope
