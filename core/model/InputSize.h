#pragma once

#include "core/model/InputTransform.h"

#include <optional>
#include <string>

namespace softscope {

/// The user's say over how large a picture is fed in: `--size N|HxW|full`.
struct InputSize {
  enum class Kind {
    Published,  ///< as the model was evaluated
    Crop,       ///< the published transform at another size: `N`
    Whole,      ///< the whole picture at height x width: `HxW`
    Full,       ///< the whole picture as large as it is: `full`
  };

  Kind kind = Kind::Published;
  int height = 0;
  int width = 0;

  bool operator==(const InputSize&) const = default;
};

/// Reads `224`, `320x480` (or with a multiplication sign) and `full`; nothing for anything else, or
/// for sides outside 8 ... 8192.
std::optional<InputSize> parseInputSize(const std::string& text);

/// `224`, `320x480`, `full`; empty for the published size.
std::string inputSizeText(const InputSize& size);

/// The model's transform with the user's size in it.
InputTransform withInputSize(InputTransform published, const InputSize& size);

}  // namespace softscope
