#pragma once

#include <cstdint>
#include <optional>

namespace softscope {

/// The spread of a measure over pictures. Only values that are defined and finite count.
class ValueSpread {
 public:
  void add(const std::optional<double>& value);

  std::int64_t pictures() const { return pictures_; }
  /// Returns the mean; nothing if no picture has a value.
  std::optional<double> mean() const;
  /// Returns the standard deviation over pictures, sqrt(sum (value - mean)^2 / (pictures - 1));
  /// nothing for fewer than two.
  std::optional<double> deviation() const;

 private:
  std::int64_t pictures_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared differences from the mean
};

}  // namespace softscope
