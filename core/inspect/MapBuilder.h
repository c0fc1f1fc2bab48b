#pragma once

#include "core/attention/MatrixStack.h"
#include "core/inspect/Inspection.h"
#include "core/model/Recorder.h"

#include <torch/types.h>

namespace softscope {

/// Brings a record to host memory and makes its AttentionMap.
LayerInspection buildLayerInspection(const AttentionRecord& record);

/// A copy of a [rows, columns] tensor in host memory.
Matrix matrixOf(const torch::Tensor& tensor);

/// A view of a [count, rows, columns] tensor that keeps it alive; copies only what is not
/// contiguous float32 host memory already.
MatrixStack stackOf(const torch::Tensor& tensor);

}  // namespace softscope
