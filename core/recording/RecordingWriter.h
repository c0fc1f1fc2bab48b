#pragma once

#include "core/model/Recorder.h"
#include "core/recording/RecordingFile.h"

#include <string>
#include <vector>

namespace softscope {

/// Keeps what attention layers hand to it as the entries of a recording.
class RecordingWriter final : public Recorder {
 public:
  /// `stages` are the layers' in the order they run.
  explicit RecordingWriter(std::vector<int> stages) : stages_(std::move(stages)) {}

  void record(AttentionRecord record) override;
  bool wantsPrecision() const override { return true; }

  RecordingFile& file() { return file_; }

 private:
  std::vector<int> stages_;
  std::size_t layers_ = 0;
  RecordingFile file_;
};

/// Throws FileError unless the name ends in .npz or .safetensors.
void checkRecordingName(const std::string& path);

/// Writes a .npz or a .safetensors, by its name's ending, through a temporary file that takes the
/// name only when it is whole. Floats keep their type. Throws FileError.
void writeRecording(const std::string& path, const RecordingFile& file);

}  // namespace softscope
