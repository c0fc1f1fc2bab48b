#pragma once

#include "core/network/Recorder.h"
#include "core/recording/RecordingFile.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Collects what attention layers record as the entries of a recording.
class RecordingWriter final : public Recorder {
 public:
  /// `stages` holds the stage of each layer, in the order in which layers run.
  explicit RecordingWriter(std::vector<int> stages) : stages_(std::move(stages)) {}

  void record(AttentionRecord record) override;
  bool wantsPrecision() const override { return true; }
  void recordSeen(const PictureRegion& part) override { seen_ = part; }

  RecordingFile& file() { return file_; }
  /// The part of the input that the network says it saw, in the input's pixels.
  const std::optional<PictureRegion>& seen() const { return seen_; }

 private:
  std::vector<int> stages_;
  std::size_t layers_ = 0;
  RecordingFile file_;
  std::optional<PictureRegion> seen_;
};

/// Throws FileError unless the name ends in .npz or .safetensors.
void checkRecordingName(const std::string& path);

/// Writes a .npz or a .safetensors, as the ending of the name says, through a temporary file that
/// takes the name only when it is complete. Floats keep their type. Throws FileError.
void writeRecording(const std::string& path, const RecordingFile& file);

}  // namespace softscope
