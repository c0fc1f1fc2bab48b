#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/ProductMap.h"

namespace softscope {

/// The bidirectional WKV of Vision-RWKV ("Vision-RWKV: Efficient and Scalable Visual Perception
/// with RWKV-Like Architectures", 2024), as its published kernel computes it. Tokens are in runs of
/// ceil(n / 32); t is the first token of i's run. For each channel, with rows divided by their
/// sums,
///   A_ij ~ exp(k_j - w |i - j|)                    for j > i and for j < t,
///   A_ij ~ exp(k_j - w (i - j - 1))                for t <= j < i,
///   A_ii ~ exp(u + k_i), and
///   exp(k_j + w (i - j)) (1 - exp(w)) more         for t < j <= i.
/// The paper's formula has neither the runs nor the last term. The map is the mean over channels. A
/// row or a column costs O(tokens) for each channel.
class WkvMap final : public ChannelMeanMap {
 public:
  struct Parts {
    MatrixStack key;    ///< k, [1][tokens, channels]
    MatrixStack decay;  ///< w, [1][1, channels], divided by the tokens
    MatrixStack first;  ///< u, [1][1, channels], divided by the tokens
  };

  WkvMap(AttentionDescription description, Parts parts);

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  std::size_t bytes() const override;
  /// Multiplies a vector [keys] by the matrix of a head in one sweep over the tokens in each
  /// direction: [queries].
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;
  int channels() const override { return parts_.key.columns(); }
  std::shared_ptr<const ChannelMeanMap> ofChannel(int channel) const override;

 private:
  using Rows = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Returns what multiplies exp(k_j) in row i, before the row is divided: [channels].
  Eigen::ArrayXd factors(int query, int key) const;
  /// Returns the undivided matrices of all channels times `x` [tokens, channels].
  Rows undividedTimes(const Rows& x) const;
  int runStart(int token) const { return token - token % run_; }

  Parts parts_;
  int run_ = 1;
  Eigen::ArrayXd decay_;
  Eigen::ArrayXd first_;
  Rows exponentials_;  ///< exp(k - the channel's largest), [tokens, channels]
  Rows sums_;          ///< of the undivided rows, [tokens, channels]
};

}  // namespace softscope
