#pragma once

#include "core/attention/AttentionMap.h"
#include "core/network/Recorder.h"
#include "core/recording/Recording.h"
#include "core/recording/RecordingFile.h"

#include <optional>
#include <string>

namespace softscope {

/// Fills in the picture of a recording and how it was fed: `picture` uint8 [H, W, 3], or `input`
/// float [3, H, W] with `mean` and `std` [3]. If the network saw only a part of the picture,
/// `region` [4] gives it (x, y, width, height in pixels of the picture) and `input_size` [2] the
/// size that was fed (height, width). Without either picture, uses a plain sheet with the
/// proportions of the layers' grid. Throws Malformed.
void fillPicture(const RecordingFile& file, Recording& recording);

/// Fills in a layer's landmarks from a recording: `LAYER/A` and `LAYER/A_inv` [heads, m, m], how
/// many landmarks there are and how they lie. The grids must be filled in before. Throws Malformed.
void fillLandmarks(const RecordingFile& file, const std::string& layer, AttentionRecord& record);

/// Adds the entries that `fillLandmarks()` reads.
void addLandmarks(const AttentionRecord& record, RecordingFile& file);

class WorkBudget;

/// Fills in how a layer's queries and keys lie on the picture: from `LAYER/grid` and
/// `LAYER/prefix`; from `LAYER/xy` [n, 2] if they are not on a grid (see fillPlaces()); or else
/// guessed from their numbers as the largest square, with the remaining tokens before it. Returns
/// whether a grid was guessed. Throws Malformed if the entries contradict each other.
bool fillGrids(const RecordingFile& file, const std::string& layer,
               AttentionDescription& description);

/// Fills in the places of tokens from `LAYER/xy`, on a picture `aspect` times as wide as it is
/// high. Throws Malformed, also if the layers' places take more than `work`.
void fillPlaces(const RecordingFile& file, const std::string& layer, double aspect,
                WorkBudget& work, AttentionDescription& description);

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
