#include "core/network/TokenRecorder.h"

#include "core/network/MapBuilder.h"

namespace softscope {

void TokenRecorder::record(AttentionRecord record) {
  prefixNames_ = std::move(record.description.prefixNames);
  progress_.throwIfCancelled();
}

void TokenRecorder::recordTokens(const TokenRecord& record) {
  LayerTokens layer{record.layer, record.grid, matrixOf(record.tokens), {}};
  layer.norms = layer.tokens.rowwise().norm();
  if (static_cast<int>(prefixNames_.size()) == layer.prefix()) layer.prefixNames = prefixNames_;
  layers_.push_back(std::move(layer));
  progress_.report(static_cast<double>(layers_.size()) / static_cast<double>(expected_ + 1),
                   "Tokens of " + record.layer);
}

}  // namespace softscope
