#pragma once

#include "core/inspect/Inspection.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <vector>

namespace softscope {

/// Keeps the last recorded layer.
class LastLayerRecorder final : public Recorder {
 public:
  void record(AttentionRecord record) override;
  const LayerInspection& layer() const { return layer_; }

 private:
  LayerInspection layer_;
};

/// Returns every row of every head, one after the other, like a stored [heads, queries, keys]
/// array.
std::vector<float> rowsOf(const AttentionMap& map);
/// Returns a tensor's numbers, row-major.
std::vector<float> valuesOf(const torch::Tensor& tensor);

}  // namespace softscope
