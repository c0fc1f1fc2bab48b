#include "core/hosttensor/ElementTypes.h"
#include "core/hosttensor/Tensor.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace at {

namespace {

using softscope::convertedElement;
using softscope::isShortFloat;
using softscope::visitElementType;

/// Returns what `function` makes of every element, which it is given as float where the type has
/// two bytes.
template <typename Function>
Tensor mapped(const Tensor& tensor, Function function) {
  Tensor result(tensor.sizes().vec(), tensor.scalar_type());
  visitElementType(tensor.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    using Computed = std::conditional_t<isShortFloat<Element>, float, Element>;
    const auto* values = tensor.data_ptr<Element>();
    std::transform(values, values + tensor.numel(), result.data_ptr<Element>(), [&](Element value) {
      return convertedElement<Element>(function(convertedElement<Computed>(value)));
    });
  });
  return result;
}

/// Returns whether `predicate` holds for every element, which it is given as a double.
template <typename Predicate>
Tensor tested(const Tensor& tensor, Predicate predicate) {
  Tensor result(tensor.sizes().vec(), ScalarType::Bool);
  visitElementType(tensor.scalar_type(), [&](auto element) {
    const auto* values = tensor.data_ptr<decltype(element)>();
    std::transform(values, values + tensor.numel(), result.data_ptr<bool>(),
                   [&](auto value) { return predicate(convertedElement<double>(value)); });
  });
  return result;
}

/// Combines the elements of two tensors. Axes of size 1, and those that one of them lacks in front,
/// are repeated.
template <typename Element, typename Combine>
Tensor combined(const Tensor& left, const Tensor& right, ScalarType type, Combine combine) {
  const auto count = static_cast<std::size_t>(std::max(left.dim(), right.dim()));
  std::vector<std::int64_t> sizes(count, 1);
  // Steps of each operand from one element of an axis to the next; 0 where it is repeated.
  const auto stepsOf = [&](const Tensor& operand) {
    std::vector<std::int64_t> steps(count, 0);
    std::int64_t step = 1;
    for (std::int64_t axis = operand.dim(); axis-- > 0;) {
      const std::size_t at = count - static_cast<std::size_t>(operand.dim() - axis);
      const std::int64_t size = operand.size(axis);
      if (size != 1) {
        if (sizes[at] != 1 && sizes[at] != size) {
          throw c10::Error("tensors of different sizes cannot be combined");
        }
        sizes[at] = size;
        steps[at] = step;
      }
      step *= size;
    }
    return steps;
  };
  const std::vector<std::int64_t> leftSteps = stepsOf(left);
  const std::vector<std::int64_t> rightSteps = stepsOf(right);
  Tensor result(sizes, type);
  std::vector<std::int64_t> place(count, 0);
  std::int64_t first = 0;
  std::int64_t second = 0;
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    result.data_ptr<Element>()[i] = combine(first, second);
    for (std::size_t axis = count; axis-- > 0;) {
      first += leftSteps[axis];
      second += rightSteps[axis];
      if (++place[axis] < sizes[axis]) break;
      first -= leftSteps[axis] * sizes[axis];
      second -= rightSteps[axis] * sizes[axis];
      place[axis] = 0;
    }
  }
  return result;
}

template <typename Operation>
Tensor computed(const Tensor& left, const Tensor& right, Operation operation) {
  return visitElementType(left.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    const Tensor other = right.to(left.scalar_type());
    return combined<Element>(
        left, other, left.scalar_type(), [&](std::int64_t first, std::int64_t second) {
          return static_cast<Element>(
              operation(left.data_ptr<Element>()[first], other.data_ptr<Element>()[second]));
        });
  });
}

/// Returns a tensor without axes that holds the element at an index.
Tensor elementAt(const Tensor& tensor, std::int64_t index) {
  return tensor.flatten()[index];
}

/// Returns the index of the first element that no other precedes in the order.
template <typename Order>
std::int64_t extremeIndex(const Tensor& tensor, Order precedes) {
  if (tensor.numel() == 0) throw c10::Error("a tensor without elements has no largest one");
  return visitElementType(tensor.scalar_type(), [&](auto element) {
    const auto* values = tensor.data_ptr<decltype(element)>();
    return static_cast<std::int64_t>(std::min_element(values, values + tensor.numel(), precedes) -
                                     values);
  });
}

}  // namespace

Tensor Tensor::abs() const {
  return mapped(*this, [](auto value) {
    if constexpr (std::is_unsigned_v<decltype(value)>) {
      return value;
    } else {
      return std::abs(value);
    }
  });
}

Tensor Tensor::round() const {
  return mapped(*this, [](auto value) { return std::nearbyint(value); });
}

Tensor Tensor::clamp(double least, double most) const {
  return mapped(*this, [=](auto value) {
    const auto known = static_cast<double>(value);
    return known < least ? least : known > most ? most : known;
  });
}

Tensor Tensor::clamp_min(double least) const {
  return mapped(*this, [=](auto value) { return std::max(static_cast<double>(value), least); });
}

Tensor Tensor::mul(double factor) const {
  return mapped(*this, [=](auto value) { return value * static_cast<decltype(value)>(factor); });
}

Tensor Tensor::isnan() const {
  return tested(*this, [](double value) { return std::isnan(value); });
}

Tensor Tensor::isinf() const {
  return tested(*this, [](double value) { return std::isinf(value); });
}

Tensor Tensor::ge(double threshold) const {
  return tested(*this, [=](double value) { return value >= threshold; });
}

Tensor Tensor::logical_not() const {
  return tested(*this, [](double value) { return value == 0; });
}

Tensor Tensor::logical_and(const Tensor& other) const {
  const Tensor left = to(ScalarType::Bool);
  const Tensor right = other.to(ScalarType::Bool);
  return combined<bool>(left, right, ScalarType::Bool,
                        [&](std::int64_t first, std::int64_t second) {
                          return left.data_ptr<bool>()[first] && right.data_ptr<bool>()[second];
                        });
}

Tensor Tensor::masked_fill(const Tensor& mask, double value) const {
  return visitElementType(type_, [&](auto element) {
    using Element = decltype(element);
    const auto filling = convertedElement<Element>(value);
    return combined<Element>(*this, mask, type_, [&](std::int64_t at, std::int64_t hidden) {
      return mask.data_ptr<bool>()[hidden] ? filling : data_ptr<Element>()[at];
    });
  });
}

Tensor Tensor::sum(ScalarType type) const {
  return visitElementType(type_, [&](auto element) {
    const auto* values = data_ptr<decltype(element)>();
    double total = 0;
    for (std::int64_t i = 0; i < numel(); ++i) total += convertedElement<double>(values[i]);
    return torch::tensor(total, type);
  });
}

Tensor Tensor::sum(int axis) const {
  if (axis != -1) throw c10::Error("sums are along the last axis");
  const std::int64_t columns = size(-1);
  Tensor sums(std::vector<std::int64_t>(sizes_.begin(), sizes_.end() - 1), type_);
  visitElementType(type_, [&](auto element) {
    const auto* values = data_ptr<decltype(element)>();
    for (std::int64_t row = 0; row < sums.numel(); ++row) {
      double total = 0;
      for (std::int64_t i = 0; i < columns; ++i) {
        total += convertedElement<double>(values[row * columns + i]);
      }
      sums.data_ptr<decltype(element)>()[row] = convertedElement<decltype(element)>(total);
    }
  });
  return sums;
}

Tensor Tensor::norm() const {
  const Tensor squares = *this * *this;
  return torch::tensor(std::sqrt(squares.sum(ScalarType::Double).item<double>()), type_);
}

Tensor Tensor::norm(int power, int axis, bool keepsAxis) const {
  if (power != 2) throw c10::Error("norms are l2 norms");
  Tensor norms = (*this * *this).sum(axis);
  visitElementType(norms.scalar_type(), [&](auto element) {
    auto* values = norms.data_ptr<decltype(element)>();
    for (std::int64_t i = 0; i < norms.numel(); ++i) {
      values[i] =
          convertedElement<decltype(element)>(std::sqrt(convertedElement<double>(values[i])));
    }
  });
  return keepsAxis ? norms.unsqueeze(norms.dim()) : norms;
}

Tensor Tensor::any() const {
  const Tensor none = logical_not();
  const bool* first = none.data_ptr<bool>();
  const bool isThere =
      !std::all_of(first, first + none.numel(), [](bool isNone) { return isNone; });
  return torch::tensor(isThere, ScalarType::Bool);
}

Tensor Tensor::max() const {
  return elementAt(*this, argmax().item<std::int64_t>());
}

Tensor Tensor::min() const {
  return elementAt(*this, extremeIndex(*this, [](auto a, auto b) { return a < b; }));
}

Tensor Tensor::argmax() const {
  const std::int64_t index = extremeIndex(*this, [](auto a, auto b) { return a > b; });
  return torch::tensor(static_cast<double>(index), ScalarType::Long);
}

Tensor operator-(const Tensor& left, const Tensor& right) {
  return computed(left, right, [](auto a, auto b) { return a - b; });
}

Tensor operator*(const Tensor& left, const Tensor& right) {
  return computed(left, right, [](auto a, auto b) { return a * b; });
}

Tensor operator*(const Tensor& tensor, double factor) {
  return tensor.mul(factor);
}

Tensor operator/(const Tensor& left, const Tensor& right) {
  return computed(left, right,
                  [](auto a, auto b) { return static_cast<double>(a) / static_cast<double>(b); });
}

Tensor matmul(const Tensor& left, const Tensor& right) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto matrix = [](const Tensor& tensor) {
    return Eigen::Map<Rows>(tensor.data_ptr<float>(), tensor.size(0), tensor.size(1));
  };
  Tensor product({left.size(0), right.size(1)}, ScalarType::Float);
  matrix(product).noalias() = matrix(left) * matrix(right);
  return product;
}

}  // namespace at
