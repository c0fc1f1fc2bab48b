#pragma once

#include "core/Progress.h"
#include "core/inspect/TokenInspection.h"
#include "core/model/Recorder.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Keeps the tokens behind each block, and nothing of its attention.
class TokenRecorder final : public Recorder {
 public:
  /// `layers` are expected. The progress outlives it.
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
  /// Of the block whose tokens come next.
  std::vector<std::string> prefixNames_;
};

}  // namespace softscope
