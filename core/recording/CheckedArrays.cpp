#include "core/recording/CheckedArrays.h"

#include "core/checkpoint/ElementType.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

/// Returns the index of the first true value: `[0, 3, 5]`.
std::string firstPlace(const torch::Tensor& truths) {
  std::int64_t index = truths.flatten().to(torch::kUInt8).argmax().item<std::int64_t>();
  std::vector<std::int64_t> place(static_cast<std::size_t>(truths.dim()));
  for (std::size_t axis = place.size(); axis-- > 0;) {
    const std::int64_t extent = truths.size(static_cast<std::int64_t>(axis));
    place[axis] = index % extent;
    index /= extent;
  }
  return "[" + listText(place) + "]";
}

/// Throws unless every value is finite. If the sum is finite, no copy is needed to know that.
void requireFinite(const std::string& name, const torch::Tensor& values) {
  if (std::isfinite(values.sum(torch::kFloat64).item<double>())) return;
  const torch::Tensor nan = values.isnan();
  if (nan.any().item<bool>()) {
    throw Malformed(quotedText(name) + " holds NaN, first at " + firstPlace(nan) +
                    "; record it before it becomes one");
  }
  const torch::Tensor infinite = values.isinf();
  if (!infinite.any().item<bool>()) return;
  throw Malformed(quotedText(name) + " holds infinity or what is too large for float32, first at " +
                  firstPlace(infinite));
}

}  // namespace

std::string shapeText(const torch::Tensor& tensor) {
  return "[" + listText(tensor.sizes().vec()) + "]";
}

torch::Tensor CheckedArrays::checked(const std::string& name, const std::string& meaning,
                                     c10::ScalarType type) const {
  const torch::Tensor* stored = file_.array(name);
  if (stored == nullptr) return {};
  const std::int64_t dimensions = 1 + std::count(meaning.begin(), meaning.end(), ',');
  const std::string what = quotedText(name) + " is " + shapeText(*stored);
  if (!at::isFloatingType(stored->scalar_type())) {
    throw Malformed(what + " of " + std::string(elementTypeName(stored->scalar_type())) +
                    ", and should be floats: float16, float32 or float64");
  }
  torch::Tensor values = *stored;
  if (values.dim() == dimensions + 1 && values.size(0) == 1) values = values[0];
  if (values.dim() != dimensions) throw Malformed(what + ", and should be " + meaning);
  if (values.numel() == 0) throw Malformed(what + ", and should hold something: " + meaning);
  // Converting doubles the size for nothing in return: long arrays are float64 already.
  constexpr std::int64_t mostWidened = 1 << 20;
  if (type == torch::kFloat64 && values.scalar_type() != type && values.numel() > mostWidened) {
    throw Malformed(what + ", and should be float64 where it is so long");
  }
  values = values.to(type).contiguous();
  requireFinite(name, values);
  return values;
}

torch::Tensor CheckedArrays::floats(const std::string& name, const std::string& meaning) const {
  return checked(name, meaning, torch::kFloat32);
}

torch::Tensor CheckedArrays::doubles(const std::string& name, const std::string& meaning) const {
  return checked(name, meaning, torch::kFloat64);
}

torch::Tensor CheckedArrays::floats(const std::string& name, const std::string& meaning,
                                    const std::vector<std::int64_t>& shape) const {
  torch::Tensor values = floats(name, meaning);
  if (!values.defined() || values.sizes() == torch::IntArrayRef(shape)) return values;
  throw Malformed(quotedText(name) + " is " + shapeText(values) + ", and should be " + meaning +
                  " = [" + listText(shape) + "]");
}

std::vector<int> CheckedArrays::integers(const std::string& name, int least, int most,
                                         std::int64_t mostCount) const {
  const torch::Tensor* stored = file_.array(name);
  if (stored == nullptr) return {};
  if (stored->numel() > mostCount) {
    throw Malformed(quotedText(name) + " holds " + std::to_string(stored->numel()) +
                    " numbers, and should hold " + std::to_string(mostCount) + " at most");
  }
  const torch::Tensor values = stored->to(torch::kFloat64).flatten().contiguous();
  std::vector<int> integers;
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const double value = values.data_ptr<double>()[i];
    if (!(value >= least && value <= most) || value != std::floor(value)) {
      throw Malformed(quotedText(name) + " should hold whole numbers from " +
                      std::to_string(least) + " to " + std::to_string(most));
    }
    integers.push_back(static_cast<int>(value));
  }
  return integers;
}

std::optional<int> CheckedArrays::integer(const std::string& name, int least, int most) const {
  if (!file_.has(name)) return std::nullopt;
  const std::vector<int> values = integers(name, least, most, 1);
  if (values.size() == 1) return values.front();
  throw Malformed(quotedText(name) + " holds no number, and should hold one");
}

std::optional<double> CheckedArrays::number(const std::string& name) const {
  const torch::Tensor* stored = file_.array(name);
  if (stored == nullptr) return std::nullopt;
  if (stored->numel() != 1 || !std::isfinite(stored->to(torch::kFloat64).item<double>())) {
    throw Malformed(quotedText(name) + " should be a single finite number");
  }
  return stored->to(torch::kFloat64).item<double>();
}

}  // namespace softscope
