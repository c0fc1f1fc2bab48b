#pragma once

#include "core/analysis/deletion/DeletionRequest.h"
#include "core/attention/TokenGrid.h"
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

/// Returns the grid of square patches whose side is nearest to `patch` pixels; at least one patch.
TokenGrid patchGrid(int height, int width, int patch);

/// Returns `input` blurred with a Gaussian of `deviation` pixels, cut off at three deviations. At
/// the border the remaining weights are scaled to sum to one.
InputTensor blurred(const InputTensor& input, double deviation);

/// A network's input with patches of a grid removed. Patches differ by a pixel if their number does
/// not divide the input's side.
class PatchRemover {
 public:
  /// `input` must outlive the remover. The blur's deviation is a patch's longer side. Imputed
  /// pixels have noise. If tokens are left out, pictures show the mean colour in their place.
  PatchRemover(const InputTensor& input, const TokenGrid& grid, PatchRemoval removal);

  /// Returns the input where `kept`, [patches], is true, and its replacement elsewhere.
  InputTensor with(const std::vector<bool>& kept) const;

 private:
  InputTensor imputed(const std::vector<bool>& kept) const;

  const InputTensor& input_;
  PatchRemoval removal_;
  /// The input whose pixels replace those of removed patches, unless they are imputed.
  InputTensor instead_;
  /// The noise on imputed pixels.
  std::vector<float> noise_;
  /// [pixels] the patch of each pixel.
  std::vector<int> patches_;
};

}  // namespace softscope
