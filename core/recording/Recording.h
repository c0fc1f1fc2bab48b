#pragma once

#include "core/model/InputTransform.h"
#include "core/model/RecordedPicture.h"
#include "core/model/Recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A layer of a recording, as a network would hand it to a recorder.
struct RecordedLayer {
  AttentionRecord record;
  /// 1-based stage of a pyramid.
  int stage = 1;
  /// The grid was not in the file, but guessed from the number of tokens.
  bool guessesGrid = false;
};

/// Attention that somebody's code computed, read from a file: what a forward pass would show,
/// without weights and without a forward pass. docs/recordings.md describes the files.
struct Recording {
  std::vector<RecordedLayer> layers;
  /// [classes], or undefined.
  torch::Tensor logits;
  std::vector<std::string> classNames;
  /// What the file says the network is called; `custom` where it says nothing.
  std::string variant = "custom";
  /// Of most layers: what the file says, or else the last layer's.
  std::string mechanism;
  /// Follows the mechanism wherever it is named.
  std::string note;
  /// Layers that a recorder left out, `NAME: REASON`.
  std::vector<std::string> refused;
  std::shared_ptr<const RecordedPicture> picture;
  /// Of extent Recorded.
  InputTransform transform;
};

/// Reads a .npz, a .safetensors or a folder of `softscope dump`. Values become float32. Throws
/// FileError that names the entry and what should stand there.
Recording readRecording(const std::string& path);

}  // namespace softscope
