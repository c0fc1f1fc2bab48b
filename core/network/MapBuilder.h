#pragma once

#include "core/attention/BlockMap.h"
#include "core/attention/MatrixStack.h"
#include "core/inspect/Inspection.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

namespace softscope {

/// Returns the record with those of its tensors that a GPU holds in host memory, where their values
/// are valid once the GPU is synchronized: copies do not wait for one another.
AttentionRecord copiedFromGpu(AttentionRecord record);

/// Copies a record to host memory and builds its AttentionMap.
LayerInspection buildLayerInspection(const AttentionRecord& record);

/// Copies tensors of a map of windows to host memory.
BlockMap::Blocks blocksOf(const BlockTensors& tensors);

/// Copies a [rows, columns] tensor to host memory.
Matrix matrixOf(const torch::Tensor& tensor);

/// Returns a view of a [count, rows, columns] tensor that keeps it alive. Copies only if the tensor
/// is not already contiguous float32 in host memory.
MatrixStack stackOf(const torch::Tensor& tensor);

}  // namespace softscope
