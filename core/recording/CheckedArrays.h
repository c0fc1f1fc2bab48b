#pragma once

#include "core/recording/RecordingFile.h"

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Reads a recording's arrays and checks their form. All methods throw Malformed that names the
/// entry and what it should be.
class CheckedArrays {
 public:
  explicit CheckedArrays(const RecordingFile& file) : file_(file) {}

  /// Returns a float32, contiguous and finite array with as many dimensions as `meaning` ("[heads,
  /// queries, keys]") has names, none of them of length 0. An extra leading dimension of 1 is
  /// dropped. Undefined if there is no such entry.
  torch::Tensor floats(const std::string& name, const std::string& meaning) const;
  /// Returns an array as floats() does, in float64.
  torch::Tensor doubles(const std::string& name, const std::string& meaning) const;
  /// Returns an array as the other floats() does; it must have exactly this shape.
  torch::Tensor floats(const std::string& name, const std::string& meaning,
                       const std::vector<std::int64_t>& shape) const;
  /// Returns whole numbers from an array of any type and shape. Each must be in [least, most], and
  /// there may be at most `mostCount`.
  std::vector<int> integers(const std::string& name, int least, int most,
                            std::int64_t mostCount) const;
  /// Returns a single whole number, or nothing if there is no such entry.
  std::optional<int> integer(const std::string& name, int least, int most) const;
  /// Returns a single finite number, or nothing if there is no such entry.
  std::optional<double> number(const std::string& name) const;

 private:
  torch::Tensor checked(const std::string& name, const std::string& meaning,
                        c10::ScalarType type) const;

  const RecordingFile& file_;
};

/// Returns the shape as text: `[2, 4, 4]`.
std::string shapeText(const torch::Tensor& tensor);

}  // namespace softscope
