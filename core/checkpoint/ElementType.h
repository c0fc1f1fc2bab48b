#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

namespace softscope {

/// The element type of a pickled storage class, `torch.FloatStorage`; untyped storages hold bytes.
std::optional<c10::ScalarType> elementTypeOfStorage(std::string_view className);

/// The element type that a pickle names, `torch.float32`.
std::optional<c10::ScalarType> elementTypeNamed(std::string_view name);

/// The element type of a .safetensors `dtype`, `F32`.
std::optional<c10::ScalarType> elementTypeOfSafetensors(std::string_view name);

/// What NumPy and PyTorch call a type: `float32`.
std::string_view elementTypeName(c10::ScalarType type);

/// What .safetensors calls a type, if it has a name for it.
std::optional<std::string_view> safetensorsName(c10::ScalarType type);

}  // namespace softscope
