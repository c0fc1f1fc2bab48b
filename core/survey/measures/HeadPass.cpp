#include "core/survey/measures/HeadPass.h"

#include "core/analysis/spectrum/Spectrum.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace softscope {

const LayerShare* layerShareNamed(const ModelShare* share, const std::string& name) {
  if (share == nullptr) return nullptr;
  const auto found = std::ranges::find(share->layers, name, &LayerShare::layer);
  return found == share->layers.end() ? nullptr : &*found;
}

const HeadShare* headShareOf(const LayerShare* layer, int head) {
  const auto index = static_cast<std::size_t>(head);
  return layer == nullptr || index >= layer->heads.size() ? nullptr : &layer->heads[index];
}

ModelPass::ModelPass(Parts parts, const Progress& progress)
    : parts_(std::move(parts)), progress_(progress) {}

std::optional<int> ModelPass::prediction() const {
  return predictedClass(logits());
}

const LayerShare* ModelPass::shareOf(const std::string& layer) const {
  return layerShareNamed(parts_.share.get(), layer);
}

std::optional<AnalysedTokens> ModelPass::tokensOf(const std::string& layer) const {
  if (!parts_.tokens) return std::nullopt;
  const std::vector<LayerTokens>& layers = parts_.tokens->layers;
  const auto found = std::ranges::find(layers, layer, &LayerTokens::layer);
  if (found == layers.end()) return std::nullopt;
  AnalysedTokens tokens;
  tokens.inspection = parts_.tokens;
  tokens.index = static_cast<std::size_t>(found - layers.begin());
  return tokens;
}

const LineMeasures& HeadPass::lines() const {
  if (!lines_) lines_ = lineMeasures(of.layer, head, progress());
  return *lines_;
}

const std::optional<AttentionSink>& HeadPass::sink() const {
  if (!sink_) sink_ = attentionSink(of.layer, head, progress());
  return *sink_;
}

const std::optional<SpectrumValues>& HeadPass::spectrum() const {
  if (!spectrum_) spectrum_ = allSingularValues(map(), head, progress());
  return *spectrum_;
}

const HeadShare* HeadPass::share() const {
  return headShareOf(of.model.shareOf(of.layer.name), head);
}

}  // namespace softscope
