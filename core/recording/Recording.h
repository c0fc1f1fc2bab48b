#pragma once

#include "core/model/InputTransform.h"
#include "core/network/Recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A layer of a recording, in the form in which a network would pass it to a recorder.
struct RecordedLayer {
  AttentionRecord record;
  /// Stage of a pyramid, counted from 1.
  int stage = 1;
  /// True if the grid is not in the file, but guessed from the number of tokens.
  bool guessesGrid = false;
};

/// Attention computed by someone else's code and read from a file. It shows what a forward pass
/// would show, without weights and without running one. docs/recordings.md describes the files.
struct Recording {
  std::vector<RecordedLayer> layers;
  /// Logits, [classes], or undefined.
  torch::Tensor logits;
  std::vector<std::string> classNames;
  /// The network's name in the file; `custom` if the file gives none.
  std::string variant = "custom";
  /// Mechanism of most layers: the one that the file names, or else the last layer's.
  std::string mechanism;
  /// Note shown after the mechanism wherever it is named.
  std::string note;
  /// Layers that a recorder left out, `NAME: REASON`.
  std::vector<std::string> refused;
  std::shared_ptr<const RecordedPicture> picture;
  /// How the picture was fed; its extent is Recorded.
  InputTransform transform;
};

/// Reads a .npz, a .safetensors or a folder written by `softscope dump`. Values become float32.
/// Throws a FileError that names the entry and what it should be.
Recording readRecording(const std::string& path);

/// Reads a recording in .safetensors form from memory. Throws Malformed.
Recording readRecordingBytes(const std::string& bytes);

}  // namespace softscope
