#pragma once

#include "core/network/Recorder.h"
#include "core/recording/RecordingFile.h"

#include <optional>
#include <string>

namespace softscope {

/// A layer's attention as a recording describes it.
struct RecordedMap {
  decltype(AttentionRecord::map) attention;
  /// Queries [heads, queries, d] and keys [heads, keys, d], if the file has them.
  torch::Tensor query;
  torch::Tensor key;
  /// The exact kernel that the factors approximate, if the file has queries and keys beside
  /// factors.
  std::optional<KernelTensors> exactKernel;
  int heads = 0;
  int queries = 0;
  int keys = 0;
  /// The mechanism to assume if the file names none: `softmax`, `gaussian`, or `recorded`.
  std::string kind;
};

/// Reads `LAYER/attn`; or `LAYER/blocks` with `LAYER/rows` and `LAYER/cols`, attention within
/// windows, which `LAYER/rows` and `LAYER/cols` also cut out of `LAYER/attn`; or `LAYER/left`,
/// `LAYER/middle` and `LAYER/right`; or `LAYER/q` and `LAYER/k` with `LAYER/kernel`: `softmax` of
/// scale q k^T over keys; `gaussian`, exp(-scale |q - k|^2 / 2), which with the usual scale
/// d^(-1/2) is SOFT's; `linear`, scale q k^T itself. Throws Malformed if a part is missing or does
/// not fit, or if the attention is given twice.
RecordedMap recordedMap(const RecordingFile& file, const std::string& layer);

}  // namespace softscope
