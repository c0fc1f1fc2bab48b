#pragma once

#include "core/attention/AttentionMap.h"

#include <memory>

namespace softscope {

/// A map that multiplies vectors without any matrix of queries x keys and without computing its
/// rows.
class ProductMap : public AttentionMap {
 public:
  using AttentionMap::AttentionMap;

  /// Multiplies a vector [keys] by the matrix of a head, in float64: [queries].
  virtual Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const = 0;
  /// Multiplies a vector [queries] by the transposed matrix of a head, in float64: [keys].
  virtual Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const = 0;
  /// Computes the rows one by one.
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
};

/// A map whose heads apply a matrix of its own to each channel. The map itself is the mean of these
/// matrices, which multiplies no channel; ofChannel() is what multiplies one.
class ChannelMeanMap : public ProductMap {
 public:
  using ProductMap::ProductMap;

  /// Number of channels.
  virtual int channels() const = 0;
  /// Returns the map of one channel alone, with as many heads. Throws InspectionError if there is
  /// no such channel.
  virtual std::shared_ptr<const ChannelMeanMap> ofChannel(int channel) const = 0;

 protected:
  /// Returns the description of a map of `channels` channels: `meanOfChannels` is their number, or
  /// 0 for a single channel.
  static AttentionDescription withChannels(AttentionDescription description, int channels);
  /// Returns the description of the map of one of the channels.
  AttentionDescription ofOneChannel(int channel) const;
  void checkChannel(int channel) const;
};

}  // namespace softscope
