#include "core/checkpoint/TensorRebuild.h"

#include "core/files/Malformed.h"

#include <algorithm>

namespace softscope {

namespace {

/// Adds and multiplies numbers, and remembers whether a result exceeded the range of file offsets.
class Checked {
 public:
  explicit Checked(std::uint64_t value) : value_(value) {}

  void add(std::uint64_t other) {
    overflow_ = __builtin_add_overflow(value_, other, &value_) || overflow_;
  }
  void multiply(std::uint64_t other) {
    overflow_ = __builtin_mul_overflow(value_, other, &value_) || overflow_;
  }
  /// Returns the value, limited to 2^62, which nothing in memory reaches.
  std::uint64_t capped() const {
    constexpr std::uint64_t cap = std::uint64_t{1} << 62;
    return overflow_ ? cap : std::min(value_, cap);
  }

 private:
  std::uint64_t value_;
  bool overflow_ = false;
};

/// Bytes that the views of the smallest file may be copied to.
constexpr std::uint64_t copyFloor = std::uint64_t{24} << 20;

bool isEmpty(const PickledTensor& tensor) {
  return std::ranges::find(tensor.sizes, 0) != tensor.sizes.end();
}

/// Counts elements, but leaves out extents of zero, which would otherwise hide absurd ones.
std::uint64_t elementCount(const PickledTensor& tensor) {
  Checked count(1);
  for (const std::int64_t extent : tensor.sizes) {
    count.multiply(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1)));
  }
  return count.capped();
}

/// Returns true if the tensor has more elements than its storage only because it repeats some along
/// an axis with the stride 0.
bool isRepeated(const PickledTensor& tensor, std::size_t elementSize, std::uint64_t declared) {
  Checked bytes(elementSize);
  bool repeats = false;
  for (std::size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
    const bool isSame = tensor.strides[axis] == 0 && tensor.sizes[axis] > 1;
    repeats = repeats || isSame;
    const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.sizes[axis], 1));
    if (!isSame) bytes.multiply(extent);
  }
  return repeats && bytes.capped() <= declared;
}

/// Returns the position after the last byte that the tensor touches, counted from the start of its
/// storage.
std::uint64_t endOfBytes(const PickledTensor& tensor, std::size_t elementSize) {
  Checked end(tensor.offset);
  for (std::size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
    Checked reach(static_cast<std::uint64_t>(tensor.sizes[axis] - 1));
    reach.multiply(static_cast<std::uint64_t>(tensor.strides[axis]));
    end.add(reach.capped());
  }
  end.add(1);
  end.multiply(elementSize);
  return end.capped();
}

/// Returns the size in bytes that the pickle declares for the storage, without reading it.
std::uint64_t declaredBytes(const PickledStorage& storage) {
  Checked bytes(storage.count);
  bytes.multiply(c10::elementSize(storage.type));
  return bytes.capped();
}

std::uint64_t storageStart(const PickledStorage& storage) {
  Checked start(storage.offset);
  start.multiply(c10::elementSize(storage.type));
  return start.capped();
}

void checkWithinDeclared(const PickledTensor& tensor) {
  // A tensor repeated along an axis holds more elements than its storage; small ones are harmless.
  constexpr std::uint64_t smallBytes = std::uint64_t{16} << 20;
  const std::size_t elementSize = c10::elementSize(tensor.type);
  Checked bytes(elementCount(tensor));
  bytes.multiply(elementSize);
  const std::uint64_t declared = declaredBytes(tensor.storage);
  if (bytes.capped() > std::max(declared, smallBytes)) {
    if (isRepeated(tensor, elementSize, declared)) {
      throw Malformed(
          "is one row repeated to more than 16 MB (expand()); save tensor.contiguous()");
    }
    throw Malformed("claims more elements than its storage holds");
  }
  if (!isEmpty(tensor) && endOfBytes(tensor, elementSize) > declared) {
    throw Malformed("reaches beyond the end of its storage");
  }
}

}  // namespace

TensorRebuild::TensorRebuild(StorageSource& storages, std::uint64_t fileSize)
    : storages_(storages), copyBudget_(copyFloor + 2 * fileSize) {}

torch::Tensor TensorRebuild::rebuild(const PickledTensor& description) {
  checkWithinDeclared(description);
  const auto options = torch::TensorOptions().dtype(description.type);
  if (isEmpty(description)) return torch::empty(description.sizes, options);

  const torch::Tensor bytes = storages_.bytes(description.storage.key);
  const std::uint64_t start = storageStart(description.storage);
  Checked needed(start);
  needed.add(declaredBytes(description.storage));
  const auto present = static_cast<std::uint64_t>(bytes.numel());
  if (needed.capped() > present) {
    throw Malformed("has a storage that is too short: " + std::to_string(needed.capped()) +
                    " bytes are declared and " + std::to_string(present) + " are there");
  }

  const std::size_t elementSize = c10::elementSize(description.type);
  if (start % elementSize != 0) throw Malformed("begins between two elements of its storage");
  const auto offset = static_cast<std::int64_t>(start / elementSize + description.offset);
  torch::Tensor view = torch::empty({0}, options);
  view.set_(bytes.storage(), offset, description.sizes, description.strides);
  if (view.is_contiguous()) return view;
  const auto copied = static_cast<std::uint64_t>(view.numel()) * elementSize;
  if (copied > copyBudget_) {
    throw Malformed("is one of many views that would unpack to far more than the file holds");
  }
  copyBudget_ -= copied;
  return view.contiguous();
}

}  // namespace softscope
