#pragma once

#include "core/model/InputTransform.h"

#include <optional>
#include <string>

namespace softscope {

/// The size at which the user wants pictures to be fed: `--size N|HxW|full`.
struct InputSize {
  enum class Kind {
    Published,  ///< the size at which the model was evaluated
    Crop,       ///< the published transform at another size: `N`
    Whole,      ///< the whole picture at height x width: `HxW`
    Full,       ///< the whole picture at its own size: `full`
  };

  Kind kind = Kind::Published;
  int height = 0;
  int width = 0;

  bool operator==(const InputSize&) const = default;
};

/// Parses `224`, `320x480` (also with a multiplication sign) and `full`; returns nothing for any
/// other text, or for sides outside 8 ... 8192.
std::optional<InputSize> parseInputSize(const std::string& text);

/// Returns `224`, `320x480` or `full`; empty for the published size.
std::string inputSizeText(const InputSize& size);

/// Returns the size that gives a model's transform the extent and the sides of `transform`; nothing
/// if no size does: for a crop that is not square, a size fitted to each picture, a recording, or
/// sides outside 8 ... 8192.
std::optional<InputSize> inputSizeOf(const InputTransform& transform);

/// Returns the model's transform with the user's size applied.
InputTransform withInputSize(InputTransform published, const InputSize& size);

}  // namespace softscope
