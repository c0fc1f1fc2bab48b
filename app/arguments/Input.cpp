#include "app/arguments/Input.h"

#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "core/ListText.h"
#include "core/array/Npy.h"
#include "core/image/PreparedPicture.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softscope {

namespace {

bool isNpy(const std::string& path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
}

InputTensor readTensor(const std::string& path) {
  FloatArray array = readNpy(path);
  const auto& shape = array.shape;
  if (shape.size() != 4 || shape[0] != 1 || shape[1] != 3 || shape[2] < 1 || shape[3] < 1 ||
      shape[2] > 8192 || shape[3] > 8192) {
    throw FileError(path,
                    "is an array of [" + listText(shape) + "]; a network's input is [1, 3, H, W]");
  }
  return {static_cast<int>(shape[2]), static_cast<int>(shape[3]), std::move(array.values)};
}

/// The picture that a normalised tensor stands for.
Picture pictureOf(const InputTensor& tensor, const InputTransform& transform,
                  const std::string& path) {
  Picture picture{tensor.width, tensor.height, {}, path};
  const std::size_t pixels = static_cast<std::size_t>(tensor.width) * tensor.height;
  picture.rgb.resize(3 * pixels);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t i = 0; i < pixels; ++i) {
      const float value = tensor.values[channel * pixels + i] * transform.deviation[channel] +
                          transform.mean[channel];
      picture.rgb[3 * i + channel] =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
    }
  }
  return picture;
}

Input tensorInput(const std::string& path, const InputTransform& transform) {
  Input input;
  input.tensor = readTensor(path);
  input.picture = pictureOf(input.tensor, transform, path);
  input.region = {0, 0, double(input.picture.width), double(input.picture.height)};
  return input;
}

#ifdef SOFTSCOPE_HAS_IMAGE

Input pictureInput(const std::string& path, const InputTransform& transform,
                   ExifOrientation orientation) {
  Input input;
  input.picture = readPicture(path, orientation);
  PreparedPicture prepared = preparePicture(input.picture, transform);
  input.tensor = std::move(prepared.input);
  input.region = prepared.region;
  return input;
}

#else

Input pictureInput(const std::string& path, const InputTransform&, ExifOrientation) {
  throw FileError(path, "this build reads no pictures (SOFTSCOPE_IMAGE=OFF), only .npy tensors");
}

#endif

}  // namespace

void addInputOptions(CLI::App& command, InputOptions& options) {
  command
      .add_option("--size", options.size,
                  "N: the published evaluation's resize and centre crop to N x N. HxW: the whole "
                  "picture at that size. full: the picture as it is")
      ->type_name("SIZE")
      ->group("Picture");
  command
      .add_option("--exif", options.applyOrientation,
                  "off: ignore the camera's orientation, as published evaluations do")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, bool>{{"on", true}, {"off", false}}))
      ->type_name("on|off")
      ->group("Picture");
}

InputSize chosenSize(const std::string& text) {
  if (text.empty()) return {};
  const auto size = parseInputSize(text);
  if (!size) {
    throw UsageError("--size is N, HxW (sides from 8 to 8192) or full, not \"" + text + "\"");
  }
  return *size;
}

Input readInput(const std::string& path, const InputTransform& transform,
                const InputOptions& options) {
  const InputSize size = chosenSize(options.size);
  if (!isNpy(path)) {
    return pictureInput(
        path, withInputSize(transform, size),
        options.applyOrientation ? ExifOrientation::Apply : ExifOrientation::Ignore);
  }
  if (!options.size.empty()) {
    note("--size is for pictures; " + path + " is fed to the network as it is");
  }
  return tensorInput(path, transform);
}

}  // namespace softscope
