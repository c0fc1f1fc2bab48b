#include "core/hosttensor/Tensor.h"

#include "core/hosttensor/ElementTypes.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>

namespace c10 {

std::size_t elementSize(ScalarType type) {
  return softscope::visitElementType(type, [](auto element) { return sizeof(element); });
}

const char* toString(ScalarType type) {
  constexpr const char* names[] = {"Byte", "Char",  "Short",  "Int",  "Long",
                                   "Half", "Float", "Double", "Bool", "BFloat16"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace c10

namespace at {

namespace {

using softscope::convertedElement;
using softscope::visitElementType;

std::int64_t product(const std::int64_t* begin, const std::int64_t* end) {
  return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
}

/// Sizes before an axis, along it and behind it.
struct AxisSizes {
  AxisSizes(const Tensor& tensor, std::int64_t axis)
      : before(product(tensor.sizes().begin(), tensor.sizes().begin() + axis)),
        along(tensor.size(axis)),
        behind(product(tensor.sizes().begin() + axis + 1, tensor.sizes().end())) {}
  std::int64_t before;
  std::int64_t along;
  std::int64_t behind;
};

/// Copies `count` places along an axis, from one place of `source` to one of `target`.
void copyAlong(std::int64_t axis, const Tensor& source, std::int64_t from, std::int64_t count,
               Tensor& target, std::int64_t to) {
  const AxisSizes read(source, axis);
  const AxisSizes written(target, axis);
  const std::size_t step =
      static_cast<std::size_t>(read.behind) * c10::elementSize(source.scalar_type());
  const auto* values = source.data_ptr<std::byte>();
  auto* copies = target.data_ptr<std::byte>();
  if (count == 0 || step == 0) return;
  for (std::int64_t i = 0; i < read.before; ++i) {
    std::memcpy(copies + static_cast<std::size_t>(i * written.along + to) * step,
                values + static_cast<std::size_t>(i * read.along + from) * step,
                static_cast<std::size_t>(count) * step);
  }
}

std::vector<std::int64_t> withSize(const Tensor& tensor, std::int64_t axis, std::int64_t size) {
  std::vector<std::int64_t> sizes = tensor.sizes().vec();
  sizes[static_cast<std::size_t>(axis)] = size;
  return sizes;
}

}  // namespace

bool isFloatingType(ScalarType type) {
  return type == ScalarType::Float || type == ScalarType::Double || type == ScalarType::Half ||
         type == ScalarType::BFloat16;
}

Tensor::Tensor(std::vector<std::int64_t> sizes, ScalarType type)
    : sizes_(std::move(sizes)), type_(type) {
  // An empty tensor is defined, too.
  const std::size_t bytes = std::max<std::size_t>(nbytes(), 1);
  auto* elements = new (std::align_val_t(64), std::nothrow) std::byte[bytes];
  if (elements == nullptr) {
    throw c10::OutOfMemoryError("not enough memory for " + std::to_string(bytes) + " bytes");
  }
  elements_ = {elements, [](std::byte* all) { operator delete[](all, std::align_val_t(64)); }};
}

Tensor::Tensor(void* elements, std::vector<std::int64_t> sizes, ScalarType type)
    : elements_(static_cast<std::byte*>(elements), [](std::byte*) {}),
      sizes_(std::move(sizes)),
      type_(type) {}

bool Tensor::is_same(const Tensor& other) const {
  return elements_ == other.elements_ && sizes_ == other.sizes_ && type_ == other.type_;
}

std::int64_t Tensor::size(std::int64_t axis) const {
  return sizes_.at(static_cast<std::size_t>(axis < 0 ? axis + dim() : axis));
}

std::int64_t Tensor::numel() const {
  return product(sizes_.data(), sizes_.data() + sizes_.size());
}

std::size_t Tensor::nbytes() const {
  return static_cast<std::size_t>(numel()) * c10::elementSize(type_);
}

double Tensor::onlyElement() const {
  if (numel() != 1) throw c10::Error("a tensor of several elements is no number");
  return visitElementType(type_, [this](auto element) {
    return convertedElement<double>(*data_ptr<decltype(element)>());
  });
}

Tensor Tensor::to(ScalarType type) const {
  if (type == type_) return *this;
  Tensor converted(sizes_, type);
  visitElementType(type_, [&](auto from) {
    visitElementType(type, [&](auto to) {
      const auto* values = data_ptr<decltype(from)>();
      std::transform(values, values + numel(), converted.data_ptr<decltype(to)>(),
                     [](auto value) { return convertedElement<decltype(to)>(value); });
    });
  });
  return converted;
}

void Tensor::copy_(const Tensor& source, bool) {
  std::memcpy(data_ptr(), source.to(type_).data_ptr(), nbytes());
}

Tensor Tensor::operator[](std::int64_t index) const {
  Tensor part = *this;
  part.sizes_.erase(part.sizes_.begin());
  part.elements_ = {elements_, elements_.get() + static_cast<std::size_t>(index) * part.nbytes()};
  return part;
}

Tensor Tensor::view(IntArrayRef sizes) const {
  if (product(sizes.begin(), sizes.end()) != numel()) {
    throw c10::Error("a tensor cannot be seen in a shape of another size");
  }
  Tensor seen = *this;
  seen.sizes_ = sizes.vec();
  return seen;
}

Tensor Tensor::flatten(std::int64_t first, std::int64_t last) const {
  if (dim() == 0) return view({1});
  const auto begin = sizes_.begin() + first;
  const auto end = sizes_.begin() + (last < 0 ? last + dim() : last) + 1;
  std::vector<std::int64_t> sizes(sizes_.begin(), begin);
  sizes.push_back(std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>()));
  sizes.insert(sizes.end(), end, sizes_.end());
  return view(sizes);
}

Tensor Tensor::unsqueeze(std::int64_t axis) const {
  std::vector<std::int64_t> sizes = sizes_;
  sizes.insert(sizes.begin() + axis, 1);
  return view(sizes);
}

Tensor Tensor::permute(IntArrayRef axes) const {
  const std::size_t count = sizes_.size();
  std::vector<std::int64_t> strides(count, 1);
  for (std::size_t i = count; i-- > 1;) strides[i - 1] = strides[i] * sizes_[i];
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> steps;
  for (const std::int64_t axis : axes) {
    sizes.push_back(size(axis));
    steps.push_back(strides.at(static_cast<std::size_t>(axis)));
  }
  Tensor permuted(sizes, type_);
  visitElementType(type_, [&](auto element) {
    const auto* values = data_ptr<decltype(element)>();
    auto* target = permuted.data_ptr<decltype(element)>();
    std::vector<std::int64_t> place(count, 0);
    std::int64_t from = 0;
    for (std::int64_t i = 0; i < numel(); ++i) {
      target[i] = values[from];
      for (std::size_t axis = count; axis-- > 0;) {
        from += steps[axis];
        if (++place[axis] < sizes[axis]) break;
        from -= steps[axis] * sizes[axis];
        place[axis] = 0;
      }
    }
  });
  return permuted;
}

Tensor Tensor::transpose(std::int64_t first, std::int64_t second) const {
  std::vector<std::int64_t> axes(sizes_.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes.at(static_cast<std::size_t>(first)), axes.at(static_cast<std::size_t>(second)));
  return permute(axes);
}

Tensor Tensor::slice(std::int64_t axis, std::int64_t begin, std::int64_t end) const {
  const std::int64_t last = std::min(end, size(axis));
  const std::int64_t first = std::min(begin, last);
  Tensor part(withSize(*this, axis, last - first), type_);
  copyAlong(axis, *this, first, last - first, part, 0);
  return part;
}

std::vector<Tensor> Tensor::split(std::int64_t size, std::int64_t axis) const {
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < this->size(axis); begin += size) {
    parts.push_back(slice(axis, begin, begin + size));
  }
  return parts;
}

Tensor Tensor::index_select(std::int64_t axis, const Tensor& indices) const {
  const Tensor places = indices.to(ScalarType::Long);
  Tensor selected(withSize(*this, axis, places.numel()), type_);
  for (std::int64_t i = 0; i < places.numel(); ++i) {
    const std::int64_t place = places.data_ptr<std::int64_t>()[i];
    if (place < 0 || place >= size(axis)) throw c10::Error("an index is outside of its axis");
    copyAlong(axis, *this, place, 1, selected, i);
  }
  return selected;
}

}  // namespace at

namespace torch {

Tensor empty(IntArrayRef sizes, TensorOptions options) {
  return {sizes.vec(), options.type};
}

Tensor zeros(IntArrayRef sizes, TensorOptions options) {
  Tensor tensor = empty(sizes, options);
  std::memset(tensor.data_ptr(), 0, tensor.nbytes());
  return tensor;
}

Tensor from_blob(void* elements, IntArrayRef sizes, ScalarType type) {
  return {elements, sizes.vec(), type};
}

Tensor tensorOf(const std::vector<double>& values, bool isScalar, ScalarType type) {
  using Sizes = std::vector<std::int64_t>;
  Tensor tensor(isScalar ? Sizes() : Sizes{std::ssize(values)}, ScalarType::Double);
  std::copy(values.begin(), values.end(), tensor.data_ptr<double>());
  return tensor.to(type);
}

Tensor cat(const std::vector<Tensor>& parts, std::int64_t axis) {
  std::int64_t size = 0;
  for (const Tensor& part : parts) size += part.size(axis);
  Tensor joined(at::withSize(parts.front(), axis, size), parts.front().scalar_type());
  std::int64_t at = 0;
  for (const Tensor& part : parts) {
    at::copyAlong(axis, part, 0, part.size(axis), joined, at);
    at += part.size(axis);
  }
  return joined;
}

Tensor stack(const std::vector<Tensor>& parts, std::int64_t axis) {
  std::vector<Tensor> slices;
  for (const Tensor& part : parts) slices.push_back(part.unsqueeze(axis));
  return cat(slices, axis);
}

bool equal(const Tensor& left, const Tensor& right) {
  if (!(left.sizes() == right.sizes()) || left.scalar_type() != right.scalar_type()) return false;
  return softscope::visitElementType(left.scalar_type(), [&](auto element) {
    const auto* values = left.data_ptr<decltype(element)>();
    return std::equal(values, values + left.numel(), right.data_ptr<decltype(element)>());
  });
}

}  // namespace torch
