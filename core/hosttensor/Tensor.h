#pragma once

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Tensors in host memory under LibTorch's names, for builds without LibTorch
// (SOFTSCOPE_CHECKPOINTS=OFF). Recordings and models of Python processes are read and shown through
// the same code in both kinds of build; this is the part of LibTorch's interface that the code
// uses. CMake writes headers such as <torch/types.h> that include this file.

namespace c10 {

enum class ScalarType : std::int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  Bool,
  BFloat16
};

// Behind the enumeration, whose values of these names would hide them.
using Half = Eigen::half;
using BFloat16 = Eigen::bfloat16;

/// Returns the size of one element in bytes.
std::size_t elementSize(ScalarType type);
/// Returns LibTorch's name of the type, such as `Float`.
const char* toString(ScalarType type);

/// Memory that could not be allocated, or an operation on tensors that do not fit together.
class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const char* what_without_backtrace() const noexcept { return message_.c_str(); }

 private:
  std::string message_;
};

class OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

/// Nothing here computes gradients, so there is nothing to switch off.
struct InferenceMode {
  InferenceMode() {}
  ~InferenceMode() {}
};

/// A list of sizes or axes that belongs to somebody else.
class IntArrayRef {
 public:
  IntArrayRef(std::initializer_list<std::int64_t> values)
      : IntArrayRef(values.begin(), values.size()) {}
  template <std::size_t Count>
  IntArrayRef(const std::array<std::int64_t, Count>& values) : IntArrayRef(values.data(), Count) {}
  IntArrayRef(const std::vector<std::int64_t>& values)
      : IntArrayRef(values.data(), values.size()) {}

  const std::int64_t* begin() const { return data_; }
  const std::int64_t* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  std::vector<std::int64_t> vec() const { return {begin(), end()}; }
  bool operator==(const IntArrayRef& other) const { return vec() == other.vec(); }

 private:
  IntArrayRef(const std::int64_t* data, std::size_t size) : data_(data), size_(size) {}

  const std::int64_t* data_;
  std::size_t size_;
};

/// The host is the only device.
struct Device {
  bool is_cpu() const { return true; }
  std::string str() const { return "cpu"; }
  int index() const { return -1; }
};

}  // namespace c10

namespace at {

using c10::Device;
using c10::IntArrayRef;
using c10::ScalarType;

bool isFloatingType(ScalarType type);

struct TensorOptions {
  TensorOptions(ScalarType elements) : type(elements) {}
  TensorOptions pinned_memory(bool) const { return *this; }
  ScalarType type;
};

/// An array in row-major order. Copies share their elements; so do views of the first axis, and
/// other shapes. Every other operation returns elements of its own.
class Tensor {
 public:
  /// Makes an undefined tensor.
  Tensor() = default;
  /// Makes a tensor of elements that are not initialised. Throws Error if memory does not suffice.
  Tensor(std::vector<std::int64_t> sizes, ScalarType type);
  /// Makes a tensor whose elements belong to somebody else.
  Tensor(void* elements, std::vector<std::int64_t> sizes, ScalarType type);

  bool defined() const { return elements_ != nullptr; }
  bool is_same(const Tensor& other) const;
  bool is_cpu() const { return true; }
  ScalarType scalar_type() const { return type_; }
  std::int64_t dim() const { return static_cast<std::int64_t>(sizes_.size()); }
  IntArrayRef sizes() const { return sizes_; }
  /// Returns the size along an axis; negative axes count from the last.
  std::int64_t size(std::int64_t axis) const;
  std::int64_t numel() const;
  std::size_t nbytes() const;

  void* data_ptr() const { return elements_.get(); }
  template <typename T>
  T* data_ptr() const {
    return reinterpret_cast<T*>(elements_.get());
  }
  /// Returns the only element.
  template <typename T>
  T item() const {
    return static_cast<T>(onlyElement());
  }

  Tensor detach() const { return *this; }
  Tensor cpu() const { return *this; }
  Tensor contiguous() const { return *this; }
  Tensor to(Device) const { return *this; }
  Tensor to(ScalarType type) const;
  Tensor to(Device, ScalarType type) const { return to(type); }
  void copy_(const Tensor& source, bool nonBlocking = false);

  Tensor operator[](std::int64_t index) const;
  Tensor view(IntArrayRef sizes) const;
  Tensor flatten(std::int64_t first = 0, std::int64_t last = -1) const;
  Tensor unsqueeze(std::int64_t axis) const;
  Tensor permute(IntArrayRef axes) const;
  Tensor transpose(std::int64_t first, std::int64_t second) const;
  Tensor slice(std::int64_t axis, std::int64_t begin,
               std::int64_t end = std::numeric_limits<std::int64_t>::max()) const;
  std::vector<Tensor> split(std::int64_t size, std::int64_t axis) const;
  Tensor index_select(std::int64_t axis, const Tensor& indices) const;

  Tensor abs() const;
  Tensor round() const;
  Tensor clamp(double least, double most) const;
  Tensor clamp_min(double least) const;
  Tensor mul(double factor) const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor ge(double threshold) const;
  Tensor logical_not() const;
  Tensor logical_and(const Tensor& other) const;
  Tensor masked_fill(const Tensor& mask, double value) const;

  Tensor sum(ScalarType type) const;
  /// Returns the sums along the last axis, which is -1.
  Tensor sum(int axis) const;
  Tensor norm() const;
  /// Returns the l2 norms along the last axis: `power` has to be 2, and `axis` -1.
  Tensor norm(int power, int axis, bool keepsAxis = false) const;
  Tensor any() const;
  Tensor max() const;
  Tensor min() const;
  /// Returns the index of the first of the largest elements.
  Tensor argmax() const;

 private:
  double onlyElement() const;

  std::shared_ptr<std::byte> elements_;
  std::vector<std::int64_t> sizes_;
  ScalarType type_ = ScalarType::Float;
};

Tensor operator-(const Tensor& left, const Tensor& right);
Tensor operator*(const Tensor& left, const Tensor& right);
Tensor operator*(const Tensor& tensor, double factor);
Tensor operator/(const Tensor& left, const Tensor& right);
/// Returns the product of two matrices of float32.
Tensor matmul(const Tensor& left, const Tensor& right);

/// Resizes [1, C, H, W] of float32 with antialiasing to the size {H', W'}, as LibTorch and Pillow
/// do. `alignCorners` has to be false.
Tensor _upsample_bilinear2d_aa(const Tensor& image, IntArrayRef size, bool alignCorners);
Tensor _upsample_bicubic2d_aa(const Tensor& image, IntArrayRef size, bool alignCorners);

}  // namespace at

namespace torch {

using at::Device;
using at::IntArrayRef;
using at::ScalarType;
using at::Tensor;
using at::TensorOptions;

inline constexpr Device kCPU{};
inline constexpr ScalarType kUInt8 = ScalarType::Byte;
inline constexpr ScalarType kInt64 = ScalarType::Long;
inline constexpr ScalarType kFloat32 = ScalarType::Float;
inline constexpr ScalarType kFloat64 = ScalarType::Double;

inline TensorOptions dtype(ScalarType type) {
  return type;
}
Tensor empty(IntArrayRef sizes, TensorOptions options = kFloat32);
Tensor zeros(IntArrayRef sizes, TensorOptions options = kFloat32);
Tensor from_blob(void* elements, IntArrayRef sizes, ScalarType type);

/// Returns a tensor of doubles, as the type asks for.
Tensor tensorOf(const std::vector<double>& values, bool isScalar, ScalarType type);

template <typename T>
Tensor tensor(const std::vector<T>& values, ScalarType type = kFloat32) {
  return tensorOf({values.begin(), values.end()}, false, type);
}
template <typename T>
Tensor tensor(std::initializer_list<T> values, ScalarType type = kFloat32) {
  return tensorOf({values.begin(), values.end()}, false, type);
}
inline Tensor tensor(double value, ScalarType type) {
  return tensorOf({value}, true, type);
}

Tensor cat(const std::vector<Tensor>& parts, std::int64_t axis);
Tensor stack(const std::vector<Tensor>& parts, std::int64_t axis);
/// Returns true if sizes and elements are equal.
bool equal(const Tensor& left, const Tensor& right);

namespace cuda {

inline void synchronize(int) {}

}  // namespace cuda

}  // namespace torch
