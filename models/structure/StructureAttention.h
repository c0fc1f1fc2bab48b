#pragma once

#include "core/network/Recorder.h"
#include "models/layers/HeadTerms.h"
#include "models/structure/StructureLayers.h"
#include "models/structure/StructureSettings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// The attention of a block, in whatever layout and with whatever mechanism the file has it.
class StructureAttention {
 public:
  /// Registers the tensors of the block at `block`.
  StructureAttention(torch::nn::Module& network, const std::string& block,
                     const TransformerStructure& structure, const StructureSettings& settings);
  /// Maps tokens [B, n, C] to what is added to them, [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  /// Returns the layer's name, the attention's path.
  const std::string& layer() const { return layer_; }

 private:
  struct Projected {
    torch::Tensor query, key, value;  ///< [B, heads, n, d]
  };
  Projected project(const torch::Tensor& tokens) const;
  Projected projectPacked(const torch::Tensor& tokens) const;
  std::vector<torch::Tensor> unpacked(const torch::Tensor& packed, std::int64_t parts) const;
  torch::Tensor joined(const std::vector<StructureProduct>& products,
                       const torch::Tensor& tokens) const;
  Projected projectSlices(const torch::Tensor& tokens) const;
  torch::Tensor attend(const Projected& in, const AttentionDescription& description,
                       Recorder* recorder) const;
  HeadTerms attendLinformer(const Projected& in, AttentionDescription description,
                            Recorder* recorder) const;
  double factorOf(StructureSettings::Scale scale, const torch::Tensor& query) const;
  double scaleOf(const torch::Tensor& query) const { return factorOf(settings_.scale, query); }
  Projected scaledFor(StructureSettings::Mechanism of, const Projected& in) const;

  std::string layer_;
  AttentionStructure structure_;
  StructureSettings settings_;
  std::int64_t channels_ = 0;
  AttentionDescription described_;
  std::vector<std::vector<StructureProduct>> projections_;
  std::optional<StructureProduct> output_;
  std::optional<StructureNorm> queryNorm_, keyNorm_;
  std::vector<torch::Tensor> extras_;
  std::vector<torch::Tensor> extraBiases_;  ///< of Linformer's matrices; undefined without one
};

/// Convolves values [B, heads, n, d] with `filters` [heads, 1, k, 1] along the sequence of tokens.
torch::Tensor convolvedAlongTokens(const torch::Tensor& value, const torch::Tensor& filters);

/// Text in descriptions for the term that convolvedAlongTokens() adds.
inline constexpr const char* besideAsConvolution =
    "a convolution of V along the sequence of tokens";

/// A layer of Nyströmformer's attention.
struct NystromLayer {
  std::string name;
  int landmarks = 0;
  /// Steps towards the inverse of the kernel.
  int iterations = 0;
  /// Filters that convolve the values, which is added beside; undefined if there are none.
  torch::Tensor filters;
  AttentionDescription description;
};

/// Runs Nyströmformer's attention as published for PyTorch ("Nyströmformer: A Nyström-Based
/// Algorithm for Approximating Self-Attention", 2021, arXiv 2102.03902): zeros stand in front of
/// the tokens until the landmarks divide them, and landmarks are means of runs.
HeadTerms runNystromAttention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, NystromLayer layer, Recorder* recorder);

}  // namespace softscope
