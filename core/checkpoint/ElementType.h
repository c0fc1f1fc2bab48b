#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

namespace softscope {

/// Returns the element type of a pickled storage class such as `torch.FloatStorage`; untyped
/// storages hold bytes.
std::optional<c10::ScalarType> elementTypeOfStorage(std::string_view className);

/// Returns the element type that a pickle names, such as `torch.float32`.
std::optional<c10::ScalarType> elementTypeNamed(std::string_view name);

/// Returns the element type of a .safetensors `dtype`, such as `F32`.
std::optional<c10::ScalarType> elementTypeOfSafetensors(std::string_view name);

/// Returns NumPy's and PyTorch's name for a type: `float32`.
std::string_view elementTypeName(c10::ScalarType type);

/// Returns the .safetensors name of a type; nothing if the format has none.
std::optional<std::string_view> safetensorsName(c10::ScalarType type);

/// Returns what is said of a tensor whose element type, by the file's name for it, is not read:
/// `has elements of an unsupported type ('C64'); ...` and what to do.
std::string unsupportedTypeText(std::string_view name);

}  // namespace softscope
