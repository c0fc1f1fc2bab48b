#include "core/checkpoint/ElementType.h"

#include "core/text/FileText.h"

namespace softscope {

namespace {

struct ElementNames {
  c10::ScalarType type;
  std::string_view storage;
  std::string_view name;
  std::string_view safetensors;
};

constexpr ElementNames elementNames[] = {
    {c10::ScalarType::Float, "FloatStorage", "float32", "F32"},
    {c10::ScalarType::Double, "DoubleStorage", "float64", "F64"},
    {c10::ScalarType::Half, "HalfStorage", "float16", "F16"},
    {c10::ScalarType::BFloat16, "BFloat16Storage", "bfloat16", "BF16"},
    {c10::ScalarType::Long, "LongStorage", "int64", "I64"},
    {c10::ScalarType::Int, "IntStorage", "int32", "I32"},
    {c10::ScalarType::Short, "ShortStorage", "int16", "I16"},
    {c10::ScalarType::Char, "CharStorage", "int8", "I8"},
    {c10::ScalarType::Byte, "ByteStorage", "uint8", "U8"},
    {c10::ScalarType::Bool, "BoolStorage", "bool", "BOOL"},
};

std::optional<c10::ScalarType> lookUp(std::string_view ElementNames::*member,
                                      std::string_view name) {
  for (const ElementNames& element : elementNames) {
    if (element.*member == name) return element.type;
  }
  return std::nullopt;
}

/// Returns `name` without the first of these prefixes that matches; nothing if none does.
std::optional<std::string_view> withoutModule(std::string_view name) {
  for (const std::string_view module : {"torch.cuda.", "torch.storage.", "torch."}) {
    if (name.starts_with(module)) return name.substr(module.size());
  }
  return std::nullopt;
}

/// Returns true for any of PyTorch's and .safetensors' names for complex numbers.
bool isComplexName(std::string_view name) {
  return name.find("omplex") != std::string_view::npos || name == "C32" || name == "C64" ||
         name == "C128";
}

/// Returns true for integers without a sign that PyTorch hardly computes with.
bool isUnsignedName(std::string_view name) {
  for (const std::string_view bits : {"16", "32", "64"}) {
    if (!name.ends_with(bits)) continue;
    name.remove_suffix(bits.size());
    return name == "U" || name.ends_with("uint");
  }
  return false;
}

}  // namespace

std::optional<c10::ScalarType> elementTypeOfStorage(std::string_view className) {
  const auto name = withoutModule(className);
  if (!name) return std::nullopt;
  if (*name == "UntypedStorage" || *name == "_UntypedStorage") return c10::ScalarType::Byte;
  return lookUp(&ElementNames::storage, *name);
}

std::optional<c10::ScalarType> elementTypeNamed(std::string_view name) {
  const auto plain = withoutModule(name);
  return plain ? lookUp(&ElementNames::name, *plain) : std::nullopt;
}

std::optional<c10::ScalarType> elementTypeOfSafetensors(std::string_view name) {
  return lookUp(&ElementNames::safetensors, name);
}

std::string_view elementTypeName(c10::ScalarType type) {
  for (const ElementNames& element : elementNames) {
    if (element.type == type) return element.name;
  }
  return c10::toString(type);
}

std::string unsupportedTypeText(std::string_view name) {
  // No weight of a network that Softscope computes is complex, so such a tensor is of something
  // else.
  // A conversion of eight bits alone would lose the scales that usually stand beside them.
  const bool isFloat8 = name.find("loat8") != std::string_view::npos || name.starts_with("F8_");
  const char* way = isComplexName(name)    ? "leave that tensor out"
                    : isUnsignedName(name) ? "leave that tensor out, or convert it to int64"
                    : isFloat8 ? "convert them to float32 first, with their scales if the file has "
                                 "some (dequantise the model)"
                               : "convert them to float32 first";
  return "has elements of an unsupported type (" + quotedText(name) + "); " + way;
}

std::optional<std::string_view> safetensorsName(c10::ScalarType type) {
  for (const ElementNames& element : elementNames) {
    if (element.type == type) return element.safetensors;
  }
  return std::nullopt;
}

}  // namespace softscope
