#pragma once

#include "core/recording/RecordingFile.h"

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Reads a recording's arrays as what they should be. All throw Malformed naming the entry and what
/// should stand there.
class CheckedArrays {
 public:
  explicit CheckedArrays(const RecordingFile& file) : file_(file) {}

  /// Float32, contiguous and finite, with as many dimensions as `meaning` ("[heads, queries,
  /// keys]") has names, none of them empty; a leading 1 more is dropped. Undefined where there is
  /// none.
  torch::Tensor floats(const std::string& name, const std::string& meaning) const;
  /// Likewise, in float64.
  torch::Tensor doubles(const std::string& name, const std::string& meaning) const;
  /// As floats(), of exactly that shape.
  torch::Tensor floats(const std::string& name, const std::string& meaning,
                       const std::vector<std::int64_t>& shape) const;
  /// Whole numbers, whatever their type and shape, `least` to `most`, and at most `mostCount`.
  std::vector<int> integers(const std::string& name, int least, int most,
                            std::int64_t mostCount) const;
  /// One of them, or nothing where there is none.
  std::optional<int> integer(const std::string& name, int least, int most) const;
  /// A single finite number, or nothing.
  std::optional<double> number(const std::string& name) const;

 private:
  torch::Tensor checked(const std::string& name, const std::string& meaning,
                        c10::ScalarType type) const;

  const RecordingFile& file_;
};

/// `[2, 4, 4]`
std::string shapeText(const torch::Tensor& tensor);

}  // namespace softscope
