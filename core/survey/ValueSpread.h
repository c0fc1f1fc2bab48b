#pragma once

#include <cstdint>
#include <optional>

namespace softscope {

/// How a measure is spread over pictures. Those that it is defined and finite for count.
class ValueSpread {
 public:
  void add(const std::optional<double>& value);

  std::int64_t pictures() const { return pictures_; }
  /// Nothing without any such picture.
  std::optional<double> mean() const;
  /// From picture to picture: sqrt(sum (value - mean)^2 / (pictures - 1)); nothing for fewer than
  /// two.
  std::optional<double> deviation() const;

 private:
  std::int64_t pictures_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< of differences from the mean
};

}  // namespace softscope
