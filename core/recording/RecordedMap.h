#pragma once

#include "core/model/Recorder.h"
#include "core/recording/RecordingFile.h"

#include <optional>
#include <string>
#include <variant>

namespace softscope {

/// What a recording says a layer's attention is.
struct RecordedMap {
  std::variant<FactorTensors, KernelTensors, DenseTensors> attention;
  /// Queries [heads, queries, d] and keys [heads, keys, d], where the file has some.
  torch::Tensor query;
  torch::Tensor key;
  /// Queries and keys beside factors are of the kernel in whose place these stand.
  std::optional<KernelTensors> exactKernel;
  int heads = 0;
  int queries = 0;
  int keys = 0;
  /// The mechanism, where the file does not name one: `softmax`, `gaussian`, or `recorded`.
  std::string kind;
};

/// Reads `LAYER/attn`; or `LAYER/left`, `LAYER/middle` and `LAYER/right`; or `LAYER/q` and
/// `LAYER/k` with `LAYER/kernel`: `softmax` of scale q k^T over keys; `gaussian`,
/// exp(-scale |q - k|^2 / 2), which with the usual scale d^(-1/2) is SOFT's; `linear`, scale q k^T
/// itself. Throws Malformed where a part is missing, does not fit, or the attention is there twice.
RecordedMap recordedMap(const RecordingFile& file, const std::string& layer);

}  // namespace softscope
