#include "models/attention/PyramidKernel.h"

#include "models/attention/MechanismImplementation.h"

namespace softscope {

torch::Tensor PyramidKernel::forward(const torch::Tensor& query, const torch::Tensor& key,
                                     const torch::Tensor& value, const TokenGrid& grid,
                                     Recorder* recorder) {
  AttentionDescription description;
  description.mechanism = options_.implementation->mechanism->name;
  description.queryGrid = grid;
  description.keyGrid = grid;
  return attend({query, key, value, grid, options_.name, std::move(description), recorder});
}

}  // namespace softscope
