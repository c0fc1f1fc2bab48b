#pragma once

#include "core/hosttensor/Tensor.h"

#include <cstdint>
#include <type_traits>

namespace softscope {

/// Calls `visit` with a value of the C++ type of the elements.
template <typename Visit>
auto visitElementType(c10::ScalarType type, Visit visit) {
  switch (type) {
    case c10::ScalarType::Byte:
      return visit(std::uint8_t());
    case c10::ScalarType::Char:
      return visit(std::int8_t());
    case c10::ScalarType::Short:
      return visit(std::int16_t());
    case c10::ScalarType::Int:
      return visit(std::int32_t());
    case c10::ScalarType::Long:
      return visit(std::int64_t());
    case c10::ScalarType::Half:
      return visit(c10::Half());
    case c10::ScalarType::BFloat16:
      return visit(c10::BFloat16());
    case c10::ScalarType::Double:
      return visit(double());
    case c10::ScalarType::Bool:
      return visit(bool());
    case c10::ScalarType::Float:
      break;
  }
  return visit(float());
}

template <typename T>
inline constexpr bool isShortFloat =
    std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>;

/// Converts an element to another type as C++ does; those of two bytes pass through float.
template <typename To, typename From>
To convertedElement(From value) {
  if constexpr (isShortFloat<From> && !std::is_same_v<From, To>) {
    return convertedElement<To>(static_cast<float>(value));
  } else if constexpr (isShortFloat<To> && !std::is_same_v<From, To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace softscope
