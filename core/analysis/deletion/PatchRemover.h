#pragma once

#include "core/analysis/deletion/DeletionSettings.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTensor.h"

#include <vector>

namespace softscope {

/// The grid of square patches that is nearest to `patch` pixels a side: at least one patch.
TokenGrid patchGrid(int height, int width, int patch);

/// `input` under a Gaussian of `deviation` pixels, cut off at three of them; at the border the
/// weights of what is there are scaled to a sum of one.
InputTensor blurred(const InputTensor& input, double deviation);

/// A network's input with patches of a grid taken away. Patches whose sides do not divide the
/// input's differ by a pixel.
class PatchRemover {
 public:
  /// `input` must outlive this. The blur's deviation is a patch's longer side; of tokens that are
  /// left out, pictures show the mean colour.
  PatchRemover(const InputTensor& input, const TokenGrid& grid, PatchRemoval removal);

  /// The input where `kept`, [patches], is true, and what stands in its place elsewhere.
  InputTensor with(const std::vector<bool>& kept) const;

 private:
  const InputTensor& input_;
  InputTensor instead_;
  /// [pixels] the patch of each.
  std::vector<int> patches_;
};

}  // namespace softscope
