#include "models/identify/ConfiguredTransform.h"

#include "models/identify/TransformValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace softscope {

using nlohmann::json;
using Extent = InputTransform::Extent;
using Filter = InputTransform::Filter;

void ConfiguredTransform::setFilter(const std::string& name) {
  constexpr std::string_view others[] = {"nearest", "lanczos", "box", "hamming"};
  if (name == "bilinear") filter = Filter::Bilinear;
  if (name == "bicubic") filter = Filter::Bicubic;
  if (std::ranges::find(others, name) != std::end(others)) otherFilter = name;
}

void ConfiguredTransform::applyTo(InputTransform& transform) const {
  transform.extent = extent.value_or(transform.extent);
  transform.height = height.value_or(transform.height);
  transform.width = width.value_or(transform.width);
  transform.cropFraction = cropFraction.value_or(transform.cropFraction);
  transform.cropStart = cropStart.value_or(transform.cropStart);
  transform.fit = fit.value_or(transform.fit);
  transform.filter = filter.value_or(transform.filter);
  transform.mean = mean.value_or(transform.mean);
  transform.deviation = deviation.value_or(transform.deviation);
}

std::vector<std::string> ConfiguredTransform::doubts(const std::string& place,
                                                     const InputTransform& used) const {
  std::vector<std::string> doubts;
  const auto doubt = [&](const std::string& step) { doubts.push_back(place + " " + step); };
  for (const std::string& step : notComputed) doubt(step);
  if (!otherFilter.empty()) {
    const std::string filterUsed = used.filter == Filter::Bilinear ? "bilinear" : "bicubic";
    doubt("resizes pictures with " + otherFilter + ", which Softscope does not have; it takes " +
          filterUsed);
  }
  return doubts;
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
      transform.height = sideIn(size[1]);
      transform.width = sideIn(size[2]);
    }
  }
  transform.cropFraction = fractionIn(pretrained, "crop_pct");
  constexpr const char* crop = "crop_pct";
  if (pretrained.contains(crop) && pretrained.at(crop).is_number() &&
      pretrained.at(crop).get<double>() > 1) {
    transform.cropFraction = 1;
    transform.notComputed.push_back("pads smaller pictures (" + std::string(crop) + " " +
                                    pretrained.at(crop).dump() +
                                    "), which Softscope does not do; it resizes them to fill the "
                                    "network's size");
  }
  transform.extent = text("crop_mode") == "squash" ? Extent::SqueezedCrop : Extent::CentreCrop;
  if (text("crop_mode") == "border") {
    transform.notComputed.emplace_back(
        "adds borders to whole pictures, which Softscope does not do; it crops their middle");
  }
  transform.setFilter(text("interpolation"));
  transform.mean = channelsIn(pretrained, "mean");
  transform.deviation = channelsIn(pretrained, "std");
  const auto passOverUnless = [&](bool isRead, const char* key) {
    if (isRead || !pretrained.contains(key) || pretrained.at(key).is_null()) return;
    transform.notComputed.push_back("gives " + std::string(key) + " as " +
                                    shortenedJson(pretrained.at(key)) +
                                    ", which Softscope does not compute");
  };
  constexpr std::string_view cropModes[] = {"center", "squash", "border"};
  passOverUnless(transform.height.has_value(), "input_size");
  passOverUnless(transform.cropFraction.has_value(), crop);
  passOverUnless(std::ranges::find(cropModes, text("crop_mode")) != std::end(cropModes),
                 "crop_mode");
  passOverUnless(transform.filter.has_value() || !transform.otherFilter.empty(), "interpolation");
  passOverUnless(transform.mean.has_value(), "mean");
  passOverUnless(transform.deviation.has_value(), "std");
  return transform;
}

void takeSizeOfTimm(const json& arguments, ConfiguredTransform& transform) {
  constexpr const char* key = "img_size";
  const auto says = [&](const char* flag, bool value) {
    return arguments.contains(flag) && truthIn(arguments.at(flag)) == value;
  };
  if (!arguments.is_object() || !arguments.contains(key)) return;
  if (says("dynamic_img_size", true) || says("strict_img_size", false)) return;
  const json& size = arguments.at(key);
  const json sides = size.is_array() ? size : json::array({size, size});
  if (sides.size() != 2 || !sideIn(sides[0]) || !sideIn(sides[1])) return;
  transform.height = sideIn(sides[0]);
  transform.width = sideIn(sides[1]);
}

}  // namespace softscope
