#include "models/identify/ConfiguredTransform.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

using nlohmann::json;
using Extent = InputTransform::Extent;
using Filter = InputTransform::Filter;

/// Returns a side in pixels, if a picture can be brought to that size.
std::optional<int> sideIn(const json& value) {
  constexpr std::int64_t longestSide = 8192;
  if (!value.is_number_integer()) return std::nullopt;
  const auto side = value.get<std::int64_t>();
  if (side < 1 || side > longestSide) return std::nullopt;
  return static_cast<int>(side);
}

std::optional<int> sideOf(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return std::nullopt;
  return sideIn(object.at(key));
}

struct ConfiguredSize {
  int height = 0;
  int width = 0;
};

/// Reads `{"height": h, "width": w}`, `[h, w]`, or one number for both.
std::optional<ConfiguredSize> sizeIn(const json& root, const char* key) {
  if (!root.contains(key)) return std::nullopt;
  const json& value = root.at(key);
  if (const auto side = sideIn(value)) return ConfiguredSize{*side, *side};
  const bool isPair = value.is_array() && value.size() == 2;
  const auto height = isPair ? sideIn(value[0]) : sideOf(value, "height");
  const auto width = isPair ? sideIn(value[1]) : sideOf(value, "width");
  if (!height || !width) return std::nullopt;
  return ConfiguredSize{*height, *width};
}

std::optional<std::array<float, 3>> channelsIn(const json& root, const char* key) {
  if (!root.contains(key)) return std::nullopt;
  const json& list = root.at(key);
  std::array<float, 3> numbers{};
  if (!list.is_array() || list.size() != numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!list[i].is_number()) return std::nullopt;
    numbers[i] = list[i].get<float>();
  }
  return numbers;
}

std::optional<double> fractionIn(const json& root, const char* key) {
  if (!root.contains(key) || !root.at(key).is_number()) return std::nullopt;
  const auto fraction = root.at(key).get<double>();
  if (!(fraction > 0 && fraction <= 1)) return std::nullopt;
  return fraction;
}

bool isOff(const json& root, const char* key) {
  return root.contains(key) && root.at(key) == false;
}

/// Returns the name of Hugging Face's class that prepares pictures, or how it begins: the type that
/// the file names, or else the one that belongs to the network's `model_type`. Empty if unknown.
std::string processorOf(const json& root, const std::string& modelType) {
  for (const char* key : {"image_processor_type", "feature_extractor_type"}) {
    if (root.contains(key) && root.at(key).is_string()) return root.at(key).get<std::string>();
  }
  constexpr std::pair<std::string_view, const char*> processors[] = {
      {"clip", "CLIP"},  {"clip_vision_model", "CLIP"},    {"cvt", "ConvNext"},
      {"dinov2", "Bit"}, {"dinov2_with_registers", "Bit"}, {"mobilevit", "MobileViT"}};
  for (const auto& [type, processor] : processors) {
    if (type == modelType) return processor;
  }
  return {};
}

/// Returns true if a number as `size` is the shorter side; otherwise it is that of a square.
bool isNumberShorterSide(const json& root, const std::string& processor) {
  constexpr const char* ofShorterSide[] = {"Bit",        "ChineseCLIP", "CLIP",      "ConvNext",
                                           "MobileNetV", "MobileViT",   "PoolFormer"};
  return root.contains("crop_pct") || isOff(root, "default_to_square") ||
         std::ranges::any_of(ofShorterSide,
                             [&](const char* name) { return processor.starts_with(name); });
}

/// Returns the length that the shorter side is resized to, if that is what `size` says.
std::optional<int> shorterSideIn(const json& root, const std::string& processor) {
  if (!root.contains("size")) return std::nullopt;
  const json& size = root.at("size");
  return isNumberShorterSide(root, processor) && size.is_number() ? sideIn(size)
                                                                  : sideOf(size, "shortest_edge");
}

/// Returns `crop_pct`, or the value that CvT's and ConvNeXt's processor has for a file without it.
std::optional<double> cropFractionIn(const json& root, const std::string& processor) {
  constexpr double usual = 0.875;
  const auto fraction = fractionIn(root, "crop_pct");
  return !fraction && processor.starts_with("ConvNext") ? usual : fraction;
}

bool isNormalised(const json& root, const std::string& processor) {
  if (!processor.starts_with("MobileViT")) return !isOff(root, "do_normalize");
  // This one normalises only where the file asks for it.
  return root.contains("do_normalize") && root.at("do_normalize") == true;
}

void setFilter(const std::string& name, ConfiguredTransform& transform) {
  constexpr std::string_view others[] = {"nearest", "lanczos", "box", "hamming"};
  if (name == "bilinear") transform.filter = Filter::Bilinear;
  if (name == "bicubic") transform.filter = Filter::Bicubic;
  if (std::ranges::find(others, name) != std::end(others)) transform.otherFilter = name;
}

void setSize(const ConfiguredSize& size, ConfiguredTransform& transform) {
  transform.height = size.height;
  transform.width = size.width;
}

/// For CvT and ConvNeXt: a crop of `crop_pct` below 384 pixels, the squeezed picture from 384 on.
void readConvNextSize(int side, double fraction, ConfiguredTransform& transform) {
  constexpr int smallestWhole = 384;
  setSize({side, side}, transform);
  transform.cropFraction = fraction;
  transform.extent = side < smallestWhole ? Extent::CentreCrop : Extent::Whole;
}

/// Resizes the shorter side to `shortest`, then crops.
void readCroppedSize(int shortest, const ConfiguredSize& crop, ConfiguredTransform& transform) {
  setSize(crop, transform);
  transform.extent = Extent::CentreCrop;
  transform.cropFraction = std::min(1.0, static_cast<double>(crop.height) / shortest);
}

/// Squeezes the whole picture to a size, then crops if there is a crop.
void readSqueezedSize(const ConfiguredSize& size, const std::optional<ConfiguredSize>& crop,
                      ConfiguredTransform& transform) {
  setSize(crop.value_or(size), transform);
  transform.extent = crop ? Extent::SqueezedCrop : Extent::Whole;
  if (crop) {
    transform.cropFraction = std::min(1.0, static_cast<double>(crop->height) / size.height);
  }
}

void readPreprocessorSize(const json& root, const std::string& processor,
                          ConfiguredTransform& transform) {
  std::optional<ConfiguredSize> crop;
  if (!isOff(root, "do_center_crop")) crop = sizeIn(root, "crop_size");
  const auto shortest = shorterSideIn(root, processor);
  const auto size = sizeIn(root, "size");
  if (isOff(root, "do_resize")) {
    if (crop) readCroppedSize(crop->height, *crop, transform);
  } else if (shortest) {
    const auto fraction = cropFractionIn(root, processor);
    if (fraction) {
      readConvNextSize(*shortest, *fraction, transform);
    } else {
      readCroppedSize(*shortest, crop.value_or(ConfiguredSize{*shortest, *shortest}), transform);
    }
  } else if (size) {
    readSqueezedSize(*size, crop, transform);
  }
}

}  // namespace

void ConfiguredTransform::applyTo(InputTransform& transform) const {
  transform.extent = extent.value_or(transform.extent);
  transform.height = height.value_or(transform.height);
  transform.width = width.value_or(transform.width);
  transform.cropFraction = cropFraction.value_or(transform.cropFraction);
  transform.filter = filter.value_or(transform.filter);
  transform.mean = mean.value_or(transform.mean);
  transform.deviation = deviation.value_or(transform.deviation);
}

std::string ConfiguredTransform::doubt(const std::string& file, const InputTransform& used) const {
  if (otherFilter.empty()) return {};
  const std::string filterUsed = used.filter == Filter::Bilinear ? "bilinear" : "bicubic";
  return " But " + file + " beside the file resizes pictures with " + otherFilter +
         ", which Softscope does not have; it takes " + filterUsed + ".";
}

std::string ConfiguredTransform::doubtOfBorders(const std::string& file) const {
  if (!addsBorders) return {};
  return " But " + file +
         " beside the file adds borders to whole pictures, which Softscope does not do; it crops "
         "their middle.";
}

ConfiguredTransform transformOfPreprocessor(const json& root, const std::string& modelType) {
  ConfiguredTransform transform;
  if (!root.is_object()) return transform;
  const std::string processor = processorOf(root, modelType);
  readPreprocessorSize(root, processor, transform);
  // In the order of Pillow's numbers.
  constexpr const char* filters[] = {"nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
  if (root.contains("resample") && root.at("resample").is_number_integer()) {
    const auto number = root.at("resample").get<std::int64_t>();
    if (number >= 0 && number < std::ssize(filters)) setFilter(filters[number], transform);
  }
  if (isOff(root, "do_resize")) transform.otherFilter.clear();
  if (isNormalised(root, processor)) {
    transform.mean = channelsIn(root, "image_mean");
    transform.deviation = channelsIn(root, "image_std");
  } else {
    transform.mean = {0, 0, 0};
    transform.deviation = {1, 1, 1};
  }
  return transform;
}

ConfiguredTransform transformOfTimm(const json& pretrained) {
  ConfiguredTransform transform;
  if (!pretrained.is_object()) return transform;
  const auto text = [&](const char* key) {
    return pretrained.contains(key) && pretrained.at(key).is_string()
               ? pretrained.at(key).get<std::string>()
               : std::string();
  };
  if (pretrained.contains("input_size")) {
    const json& size = pretrained.at("input_size");
    const bool isSize = size.is_array() && size.size() == 3;
    if (isSize && sideIn(size[1]) && sideIn(size[2])) {
      setSize({*sideIn(size[1]), *sideIn(size[2])}, transform);
    }
  }
  transform.cropFraction = fractionIn(pretrained, "crop_pct");
  transform.extent = text("crop_mode") == "squash" ? Extent::SqueezedCrop : Extent::CentreCrop;
  transform.addsBorders = text("crop_mode") == "border";
  setFilter(text("interpolation"), transform);
  transform.mean = channelsIn(pretrained, "mean");
  transform.deviation = channelsIn(pretrained, "std");
  return transform;
}

}  // namespace softscope
