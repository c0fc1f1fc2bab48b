#include "core/model/InputSize.h"

#include "core/text/Words.h"

#include <string_view>

namespace softscope {
namespace {

constexpr int smallestSide = 8;
constexpr int largestSide = 8192;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<int> parseSide(std::string_view text) {
  const auto side = parseNumber<int>(trimmed(text));
  return side && *side >= smallestSide && *side <= largestSide ? side : std::nullopt;
}

}  // namespace

std::optional<InputSize> parseInputSize(const std::string& text) {
  if (text == "full") return InputSize{InputSize::Kind::Full, 0, 0};
  for (const std::string_view cross : {"x", "X", "×"}) {
    const auto place = text.find(cross);
    if (place == std::string::npos) continue;
    const auto height = parseSide(std::string_view(text).substr(0, place));
    const auto width = parseSide(std::string_view(text).substr(place + cross.size()));
    if (!height || !width) return std::nullopt;
    return InputSize{InputSize::Kind::Whole, *height, *width};
  }
  const auto side = parseSide(text);
  if (!side) return std::nullopt;
  return InputSize{InputSize::Kind::Crop, *side, *side};
}

std::string inputSizeText(const InputSize& size) {
  switch (size.kind) {
    case InputSize::Kind::Published:
      return {};
    case InputSize::Kind::Crop:
      return std::to_string(size.height);
    case InputSize::Kind::Whole:
      return std::to_string(size.height) + "x" + std::to_string(size.width);
    case InputSize::Kind::Full:
      return "full";
  }
  return {};
}

std::optional<InputSize> inputSizeOf(const InputTransform& transform) {
  const std::string height = std::to_string(transform.height);
  switch (transform.extent) {
    case InputTransform::Extent::CentreCrop:
    case InputTransform::Extent::SqueezedCrop:
      if (transform.height != transform.width) return std::nullopt;
      return parseInputSize(height);
    case InputTransform::Extent::Whole:
      return parseInputSize(height + "x" + std::to_string(transform.width));
    case InputTransform::Extent::FullSize:
      return InputSize{InputSize::Kind::Full, 0, 0};
    case InputTransform::Extent::Fitted:
    case InputTransform::Extent::Recorded:
      break;
  }
  return std::nullopt;
}

InputTransform withInputSize(InputTransform published, const InputSize& size) {
  using Extent = InputTransform::Extent;
  // A recording was made at a single size.
  if (published.extent == Extent::Recorded) return published;
  switch (size.kind) {
    case InputSize::Kind::Published:
      return published;
    case InputSize::Kind::Crop:
      if (published.extent != Extent::SqueezedCrop) published.extent = Extent::CentreCrop;
      break;
    case InputSize::Kind::Whole:
      published.extent = Extent::Whole;
      break;
    case InputSize::Kind::Full:
      published.extent = Extent::FullSize;
      break;
  }
  if (size.kind != InputSize::Kind::Full) {
    published.height = size.height;
    published.width = size.width;
  }
  return published;
}

}  // namespace softscope
