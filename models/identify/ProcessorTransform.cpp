#include "core/model/PixelNorm.h"
#include "core/text/FileText.h"
#include "models/identify/ConfiguredTransform.h"
#include "models/identify/ImageProcessors.h"
#include "models/identify/TransformValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using nlohmann::json;
using Extent = InputTransform::Extent;

struct ConfiguredSize {
  int height = 0;
  int width = 0;

  std::string text() const { return std::to_string(height) + " x " + std::to_string(width); }
};

/// Returns the name of the class that a file is for; empty if it names none.
std::string classNameIn(const json& root) {
  for (const char* key : {"image_processor_type", "feature_extractor_type"}) {
    if (root.contains(key) && root.at(key).is_string()) return root.at(key).get<std::string>();
  }
  return {};
}

/// Reads `{"height": h, "width": w}`, `[h, w]`, or one number for both.
std::optional<ConfiguredSize> sizeIn(const json& value) {
  if (const auto side = sideIn(value)) return ConfiguredSize{*side, *side};
  const bool isPair = value.is_array() && value.size() == 2;
  const bool isNamed = value.is_object() && value.contains("height") && value.contains("width");
  if (!isPair && !isNamed) return std::nullopt;
  const auto height = sideIn(isPair ? value[0] : value.at("height"));
  const auto width = sideIn(isPair ? value[1] : value.at("width"));
  if (!height || !width) return std::nullopt;
  return ConfiguredSize{*height, *width};
}

/// Reads a file for one of Hugging Face's processors of pictures.
class ProcessorReader {
 public:
  ProcessorReader(const json& root, const std::string& modelType)
      : root_(root), className_(classNameIn(root)) {
    processor_ = className_.empty() ? imageProcessorOf(modelType) : findImageProcessor(className_);
  }

  ConfiguredTransform read() {
    made_.cropStart = InputTransform::CropStart::Floored;
    readSize();
    readFilter();
    readNorm();
    nameOtherSteps();
    return std::move(made_);
  }

 private:
  bool is(std::string_view name) const { return processor_ != nullptr && processor_->name == name; }

  /// Returns the value of a key; null if the file leaves it to the class, as `null` does.
  const json* given(const char* key) const {
    const auto found = root_.find(key);
    return found == root_.end() || found->is_null() ? nullptr : &*found;
  }

  void leaveOut(std::string step) {
    std::vector<std::string>& steps = made_.notComputed;
    if (std::ranges::find(steps, step) == steps.end()) steps.push_back(std::move(step));
  }
  void passOver(const char* key) {
    leaveOut("gives " + std::string(key) + " as " + shortenedJson(root_.at(key)) +
             ", which Softscope does not compute");
  }

  bool flag(const char* key, bool usual) {
    const json* value = given(key);
    if (value == nullptr) return usual;
    const auto truth = truthIn(*value);
    if (!truth) passOver(key);
    return truth.value_or(usual);
  }

  void setSize(const ConfiguredSize& size) {
    made_.height = size.height;
    made_.width = size.width;
  }

  /// Returns the sides of the crop; nothing if pictures are not cropped.
  std::optional<ConfiguredSize> crop() {
    if (is("ConvNext")) return std::nullopt;
    const json* value = given("crop_size");
    if (!flag("do_center_crop", processor_ != nullptr ? processor_->crops : value != nullptr)) {
      return std::nullopt;
    }
    if (value == nullptr) {
      const int usual = processor_ != nullptr ? processor_->crop : 0;
      return usual > 0 ? std::optional(ConfiguredSize{usual, usual}) : std::nullopt;
    }
    const auto size = sizeIn(*value);
    if (!size) passOver("crop_size");
    return size;
  }

  bool isNumberShorterSide() {
    if (!flag("default_to_square", true)) return true;
    return processor_ != nullptr ? processor_->keepsProportions : root_.contains("crop_pct");
  }

  /// Returns the length that the shorter side is resized to, if that is what the file says.
  std::optional<int> shorterSide() {
    const json* size = given("size");
    if (size == nullptr) {
      const bool isUsual = processor_ != nullptr && processor_->keepsProportions;
      return isUsual ? std::optional(processor_->size) : std::nullopt;
    }
    if (size->is_number() && isNumberShorterSide()) return sideIn(*size);
    if (!size->is_object() || !size->contains("shortest_edge")) return std::nullopt;
    const auto shortest = sideIn(size->at("shortest_edge"));
    if (shortest && size->contains("longest_edge") && !size->at("longest_edge").is_null()) {
      passOver("size");
    }
    return shortest;
  }

  /// Returns the size that whole pictures are squeezed to, if that is what the file says.
  std::optional<ConfiguredSize> squeezedSize() {
    if (const json* value = given("size")) {
      const auto size = sizeIn(*value);
      if (!size) passOver("size");
      return size;
    }
    if (processor_ == nullptr || processor_->size == 0) return std::nullopt;
    return ConfiguredSize{processor_->size, processor_->size};
  }

  /// Returns `crop_pct`, or the value that CvT's and ConvNeXt's processor has for a file without
  /// it.
  std::optional<double> cropFraction() {
    constexpr double usual = 0.875;
    if (processor_ != nullptr && !is("ConvNext")) return std::nullopt;
    const auto fraction = fractionIn(root_, "crop_pct");
    if (!fraction && given("crop_pct") != nullptr) passOver("crop_pct");
    return !fraction && is("ConvNext") ? usual : fraction;
  }

  /// For CvT and ConvNeXt: a crop of `crop_pct` below 384 pixels, the squeezed picture from 384 on.
  void readConvNextSize(int side, double fraction) {
    constexpr int smallestWhole = 384;
    setSize({side, side});
    made_.cropFraction = fraction;
    made_.extent = side < smallestWhole ? Extent::CentreCrop : Extent::Whole;
  }

  /// Resizes the shorter side to `shortest`, then crops.
  void readCroppedSize(int shortest, const ConfiguredSize& crop) {
    setSize(crop);
    made_.extent = Extent::CentreCrop;
    made_.cropFraction = std::min(1.0, static_cast<double>(crop.height) / shortest);
    if (std::max(crop.height, crop.width) > shortest || crop.height != crop.width) {
      leaveOut("crops " + crop.text() + " pixels of pictures whose shorter side has " +
               std::to_string(shortest) +
               ", and adds zeros where they have fewer; Softscope enlarges them until they cover "
               "the crop");
    }
  }

  void readUncroppedSize(int shortest) {
    readCroppedSize(shortest, {shortest, shortest});
    const bool isUncropped =
        processor_ != nullptr ? !is("ConvNext") : !flag("do_center_crop", true);
    if (isUncropped) {
      leaveOut("resizes the shorter side to " + std::to_string(shortest) +
               " pixels and crops nothing; Softscope crops the middle to a square");
    }
  }

  /// Squeezes the whole picture to a size, then crops if there is a crop.
  void readSqueezedSize(const ConfiguredSize& size, const std::optional<ConfiguredSize>& crop) {
    setSize(crop.value_or(size));
    made_.extent = crop ? Extent::SqueezedCrop : Extent::Whole;
    if (!crop) return;
    made_.cropFraction = std::min(1.0, static_cast<double>(crop->height) / size.height);
    const bool isAlike = crop->height * size.width == crop->width * size.height;
    if (!isAlike || crop->height > size.height) {
      leaveOut("squeezes pictures to " + size.text() + " pixels and crops " + crop->text() +
               ", which Softscope does only to a larger size of the crop's proportions");
    }
  }

  /// Keeps the proportions of a picture that is brought to about `size`, as DPT's processor does.
  void readFittedSize(const ConfiguredSize& size) {
    const json* multiple = given("ensure_multiple_of");
    const auto side = multiple != nullptr ? sideIn(*multiple) : std::nullopt;
    setSize(size);
    made_.extent = Extent::Whole;
    // No patches fit into sides of any length.
    if (!side || *side == 1) {
      leaveOut(
          "keeps the proportions of pictures (keep_aspect_ratio), and Softscope squeezes them");
      return;
    }
    made_.extent = Extent::Fitted;
    made_.fit = InputTransform::Fit{.multiple = *side};
  }

  /// Keeps the proportions of a picture that is cut into so many patches at most.
  void readPatchNumber() {
    constexpr int usualPatch = 16;
    constexpr int usualPatches = 256;
    const json* side = given("patch_size");
    const json* number = given("max_num_patches");
    const auto patch = side != nullptr ? sideIn(*side) : usualPatch;
    const auto patches = number != nullptr ? sideIn(*number) : usualPatches;
    if (!patch || !patches) return passOver(patch ? "max_num_patches" : "patch_size");
    const int square = static_cast<int>(std::sqrt(*patches)) * *patch;
    setSize({square, square});
    made_.extent = Extent::Fitted;
    made_.fit = InputTransform::Fit{.multiple = *patch, .mostPatches = *patches};
  }

  void readSize() {
    const auto cropped = crop();
    if (!flag("do_resize", true)) {
      if (cropped) readCroppedSize(cropped->height, *cropped);
      return leaveOut("leaves pictures at their own size (do_resize), and Softscope does not");
    }
    if (is("Siglip2")) return readPatchNumber();
    if (const auto shortest = shorterSide()) {
      if (const auto fraction = cropFraction()) {
        readConvNextSize(*shortest, *fraction);
      } else if (cropped) {
        readCroppedSize(*shortest, *cropped);
      } else {
        readUncroppedSize(*shortest);
      }
    } else if (const auto size = squeezedSize()) {
      if (flag("keep_aspect_ratio", false)) return readFittedSize(*size);
      readSqueezedSize(*size, cropped);
    }
  }

  void readFilter() {
    if (!flag("do_resize", true)) return;
    // In the order of Pillow's numbers.
    constexpr const char* filters[] = {"nearest", "lanczos", "bilinear",
                                       "bicubic", "box",     "hamming"};
    const json* value = given("resample");
    if (value == nullptr) {
      if (processor_ != nullptr) made_.filter = processor_->filter;
      return;
    }
    const std::int64_t number = value->is_number_integer() ? value->get<std::int64_t>() : -1;
    if (number < 0 || number >= std::ssize(filters)) return passOver("resample");
    made_.setFilter(filters[number]);
  }

  std::optional<std::array<float, 3>> normOf(const char* key,
                                             std::array<float, 3> PixelNorm::*usual) {
    if (given(key) == nullptr) {
      if (processor_ == nullptr) return std::nullopt;
      return findPixelNorm(processor_->norm)->*usual;
    }
    const auto channels = channelsIn(root_, key);
    if (!channels) passOver(key);
    return channels;
  }

  /// Reads mean and deviation for values in [0, 1], whatever the file scales levels to: subtracting
  /// m and dividing by s after a scaling by f is the same as doing so with m / f and s / f before.
  void readNorm() {
    // This one normalises only where the file asks for it.
    if (flag("do_normalize", !is("MobileViT"))) {
      made_.mean = normOf("image_mean", &PixelNorm::mean);
      made_.deviation = normOf("image_std", &PixelNorm::deviation);
    } else {
      made_.mean = {0, 0, 0};
      made_.deviation = {1, 1, 1};
    }
    constexpr double largestLevel = 255;
    constexpr double rounding = 1e-5;
    double factor = 1;
    if (flag("do_rescale", true)) {
      const json* value = given("rescale_factor");
      factor = value == nullptr ? 1 / largestLevel : value->is_number() ? value->get<double>() : 0;
    }
    const double scale = factor * largestLevel;
    if (std::abs(scale - 1) < rounding) return;
    constexpr double largestScale = 1e6;
    if (!(scale >= 1 / largestScale && scale <= largestScale)) return passOver("rescale_factor");
    if (!made_.mean || !made_.deviation) {
      return leaveOut("scales pixels by " + json(factor).dump() +
                      ", and Softscope by 1/255, without knowing mean and deviation");
    }
    for (float& number : *made_.mean) number = static_cast<float>(number / scale);
    for (float& number : *made_.deviation) number = static_cast<float>(number / scale);
  }

  /// Names every further step that the file asks for.
  void nameOtherSteps() {
    if (!className_.empty() && processor_ == nullptr) {
      leaveOut("is for " + quotedText(className_) + ", whose steps Softscope does not know");
    }
    for (const char* key : {"rescale_offset", "offset", "do_thumbnail", "do_align_long_axis",
                            "do_crop_margin", "do_image_splitting", "do_pan_and_scan"}) {
      if (flag(key, false)) passOver(key);
    }
    // Without a size, a picture is padded to the largest of its batch.
    for (const char* key : {"pad_size", "size_divisor"}) {
      if (flag("do_pad", false) && given(key) != nullptr) passOver(key);
    }
    constexpr const char* flip = "do_flip_channel_order";
    if (processor_ != nullptr || given(flip) != nullptr) {
      made_.flipsChannels = flag(flip, is("MobileViT"));
    }
  }

  const json& root_;
  std::string className_;
  const ImageProcessor* processor_ = nullptr;
  ConfiguredTransform made_;
};

}  // namespace

ConfiguredTransform transformOfPreprocessor(const json& root, const std::string& modelType) {
  if (!root.is_object()) return {};
  return ProcessorReader(root, modelType).read();
}

}  // namespace softscope
