#include "core/survey/TransformJson.h"

#include "core/json/ParsedJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace softscope {

namespace {

using TransformValues = nlohmann::ordered_json;

const char* extentName(InputTransform::Extent extent) {
  switch (extent) {
    case InputTransform::Extent::CentreCrop:
      return "centre crop";
    case InputTransform::Extent::SqueezedCrop:
      return "squeezed crop";
    case InputTransform::Extent::Whole:
      return "whole";
    case InputTransform::Extent::Fitted:
      return "fitted";
    case InputTransform::Extent::FullSize:
      return "full";
    case InputTransform::Extent::Recorded:
      return "recorded";
  }
  return "";
}

std::optional<InputTransform::Extent> extentNamed(const std::string& name) {
  using enum InputTransform::Extent;
  for (const InputTransform::Extent extent :
       {CentreCrop, SqueezedCrop, Whole, Fitted, FullSize, Recorded}) {
    if (name == extentName(extent)) return extent;
  }
  return std::nullopt;
}

std::optional<double> cropIn(const TransformValues& json) {
  const auto crop = json.find("crop");
  if (crop == json.end() || !crop->is_number()) return std::nullopt;
  const auto fraction = crop->get<double>();
  return fraction > 0 && fraction <= 1 ? std::optional(fraction) : std::nullopt;
}

}  // namespace

std::string transformJson(const InputTransform& transform, const PictureReading& reading) {
  const bool bicubic = transform.filter == InputTransform::Filter::Bicubic;
  TransformValues json = {{"extent", extentName(transform.extent)},
                          {"height", transform.height},
                          {"width", transform.width},
                          {"crop", transform.cropFraction},
                          {"filter", bicubic ? "bicubic" : "bilinear"},
                          {"mean", transform.mean},
                          {"deviation", transform.deviation},
                          {"exif", "off"}};
  // Defaults are left out, because earlier files do not contain them.
  if (transform.crops() && transform.cropStart == InputTransform::CropStart::Floored) {
    json["crop_start"] = "floored";
  }
  if (transform.extent == InputTransform::Extent::Fitted) {
    json["multiple"] = transform.fit.multiple;
    json["patches"] = transform.fit.mostPatches;
  }
  if (!(reading.range == SampleRange{})) json["range"] = sampleRangeText(reading.range);
  if (reading.page != 1) json["page"] = reading.page;
  return json.dump();
}

SurveyedInput surveyedInput(const std::string& text) {
  SurveyedInput input;
  const TransformValues json = parsedOrderedJson(text);
  if (!json.is_object()) return input;
  if (memberText(json, "exif") == "on") input.reading.orientation = ExifOrientation::Apply;
  input.reading.range =
      parseSampleRange(memberText(json, "range").value_or("")).value_or(SampleRange{});
  input.reading.page = std::clamp(memberInteger(json, "page").value_or(0), 1, mostPicturePages);
  if (const auto extent = extentNamed(memberText(json, "extent").value_or(""))) {
    InputTransform transform;
    transform.extent = *extent;
    transform.height = memberInteger(json, "height").value_or(0);
    transform.width = memberInteger(json, "width").value_or(0);
    input.size = inputSizeOf(transform);
    if (transform.crops()) input.crop = cropIn(json);
  }
  return input;
}

}  // namespace softscope
