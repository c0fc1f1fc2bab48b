#pragma once

#include "core/Progress.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/Recorder.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Keeps the tokens after each block, and nothing of its attention.
class TokenRecorder final : public Recorder {
 public:
  /// Expects `layers` layers. The progress must outlive the recorder.
  TokenRecorder(std::size_t layers, const Progress& progress)
      : expected_(layers), progress_(progress) {}

  void record(AttentionRecord record) override;
  void recordTokens(const TokenRecord& record) override;
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }

  std::vector<LayerTokens> take() { return std::exchange(layers_, {}); }

 private:
  std::size_t expected_;
  const Progress& progress_;
  std::vector<LayerTokens> layers_;
  /// Prefix names of the block whose tokens come next.
  std::vector<std::string> prefixNames_;
};

}  // namespace softscope
