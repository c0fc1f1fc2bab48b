#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/ProductMap.h"

#include <vector>

namespace softscope {

/// The hidden attention of selective state spaces ("The Hidden Attention of Mamba Models", 2024,
/// arXiv 2403.01590), a head for each scan over the tokens. Where token j is scanned no later than
/// token i, and for channel e,
///   A_ij = sum_m C_im B_jm dt_je exp(A_em (S_ie - S_je)),
/// where S is the sum of dt up to a token; elsewhere A_ij is 0. The map is the mean over channels,
/// of either sign. No product of two small factors holds it, because exp(-A S) overflows; a row or
/// a column takes one sweep, O(tokens N) for each channel.
class SelectiveScanMap final : public ChannelMeanMap {
 public:
  struct Parts {
    MatrixStack read;   ///< C, [scans][tokens, N]
    MatrixStack write;  ///< B, [scans][tokens, N]
    MatrixStack steps;  ///< dt, [scans][tokens, channels]
    MatrixStack rates;  ///< A, [scans][channels, N], negative
    /// The tokens in the order in which each scan sees them, [scans][tokens].
    std::vector<std::vector<int>> order;
  };

  SelectiveScanMap(AttentionDescription description, Parts parts);

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  std::size_t bytes() const override;
  /// Multiplies a vector [keys] by the matrix of a head in one sweep over the tokens: [queries].
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;
  /// Returns the diagonal of a head's matrix, which is triangular in the order of the scan.
  Eigen::VectorXd diagonal(int head) const;
  int channels() const override { return parts_.steps.columns(); }
  std::shared_ptr<const ChannelMeanMap> ofChannel(int channel) const override;

 private:
  const std::vector<int>& orderOf(int head) const;
  /// Returns where a token stands in a head's order.
  int placeOf(int head, int token) const;

  Parts parts_;
};

}  // namespace softscope
