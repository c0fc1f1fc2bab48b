#include "app/arguments/Input.h"

#include "app/arguments/Note.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/UsageError.h"
#include "core/array/Npy.h"
#include "core/image/PreparedPicture.h"
#include "core/image/SeenPicture.h"
#include "core/model/InputTransform.h"
#include "core/recording/RecordingPreview.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>

namespace softscope {

namespace {

bool isNpy(const std::string& path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
}

/// Returns the side of a square picture whose pixels are listed as [1, n], which is how LRA's
/// models take them; nothing for any other shape.
std::optional<int> sideOfListedPixels(const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t mostPixels = std::int64_t{1} << 20;
  if (shape.size() != 2 || shape[0] != 1 || shape[1] < 1 || shape[1] > mostPixels) return {};
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(double(shape[1]))));
  return side * side == shape[1] ? std::optional<int>(side) : std::nullopt;
}

InputTensor readTensor(const std::string& path, const ModelSummary& model) {
  const int channels = model.transform.channels;
  const std::vector<std::int64_t> shape = readNpyShape(path);
  constexpr std::int64_t longestSide = 8192;
  if (const auto side = sideOfListedPixels(shape); side && model.family == "lra") {
    return {*side, *side, readNpyIntegers(path).values, 1};
  }
  if (shape.size() != 4 || shape[0] != 1 || shape[1] != channels || shape[2] < 1 || shape[3] < 1 ||
      shape[2] > longestSide || shape[3] > longestSide) {
    throw FileError(path, "is an array of [" + listText(shape) + "]; this network's input is [1, " +
                              std::to_string(channels) + ", H, W], its sides " +
                              std::to_string(longestSide) + " pixels at most");
  }
  return {static_cast<int>(shape[2]), static_cast<int>(shape[3]), readNpy(path).values, channels};
}

/// Returns the picture that a normalised tensor represents; of one with neither one nor three
/// channels, the first channel in grey.
Picture pictureOf(const InputTensor& tensor, const InputTransform& transform,
                  const std::string& path) {
  Picture picture{tensor.width, tensor.height, {}, path};
  const std::size_t pixels = static_cast<std::size_t>(tensor.width) * tensor.height;
  picture.rgb.resize(3 * pixels);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const std::size_t source = tensor.channels == 3 ? channel : 0;
    for (std::size_t i = 0; i < pixels; ++i) {
      const float value = tensor.values[source * pixels + i] * transform.deviation[channel] +
                          transform.mean[channel];
      picture.rgb[3 * i + channel] =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
    }
  }
  return picture;
}

/// Notes what is assumed of the network for pictures of this size and not for those of its own.
void noteOtherSize(const ModelSummary& model, int height, int width) {
  for (const NetworkSetting& setting : model.settings) {
    if (!setting.isAssumedAt(height, width)) continue;
    noteOnResult(model.path + ": the file does not tell " + setting.option + " (" + setting.value +
                 "), which is " + setting.source + "; choose with --" + setting.option);
  }
}

/// Throws InspectionError for a recording of another picture.
void checkRecordedOn(const ModelSummary& model, const Picture& picture) {
  if (!model.recorded || isRecordedOn(*model.recorded, picture)) return;
  throw OtherPictureError(picture.path + " is not the picture that " + model.path +
                          " was recorded on, pixel for pixel, and a recording shows no other; "
                          "leave the picture out, or give a model in the recording's place");
}

Input preparedInput(std::shared_ptr<const Picture> picture, const ModelSummary& model,
                    const InputTransform& transform) {
  checkRecordedOn(model, *picture);
  Input input;
  PreparedPicture prepared = preparePicture(*picture, transform);
  input.picture = std::move(picture);
  input.tensor = std::move(prepared.input);
  noteOtherSize(model, input.tensor.height, input.tensor.width);
  input.region = prepared.region;
  return input;
}

Input tensorInput(const std::string& path, const ModelSummary& model) {
  const InputTransform& transform = model.transform;
  Input input;
  input.tensor = readTensor(path, model);
  noteOtherSize(model, input.tensor.height, input.tensor.width);
  if (takesBlueFirst(model.family)) input.tensor = withChannelsReversed(std::move(input.tensor));
  input.picture = std::make_shared<const Picture>(pictureOf(input.tensor, transform, path));
  checkRecordedOn(model, *input.picture);
  input.region = {0, 0, double(input.picture->width), double(input.picture->height)};
  if (transform.extent == InputTransform::Extent::Recorded) {
    input.tensor = {transform.height, transform.width, {}};
  }
  return input;
}

#ifdef SOFTSCOPE_HAS_IMAGE

/// Reports each file's note once, even if several models look at it.
void noteOnce(const Picture& picture) {
  static std::set<std::string> noted;
  const std::string text = sourceNote(picture.source, OptionsInNote::Named);
  if (text.empty() || !noted.insert(picture.path).second) return;
  noteOnResult(picture.path + ": " + text);
}

/// Returns the picture of the previous call if it is the same one and still in use; otherwise reads
/// it. Several models are shown one picture, which may take 300 MB.
std::shared_ptr<const Picture> keptOrRead(const std::string& path, const PictureReading& reading) {
  static std::weak_ptr<const Picture> last;
  std::shared_ptr<const Picture> picture = last.lock();
  if (picture && picture->path == path && picture->source.reading == reading) return picture;
  picture = std::make_shared<const Picture>(readPicture(path, reading));
  noteOnce(*picture);
  last = picture;
  return picture;
}

Input pictureInput(const std::string& path, const ModelSummary& model,
                   const InputTransform& transform, const PictureReading& reading) {
  return preparedInput(keptOrRead(path, reading), model, transform);
}

#else

Input pictureInput(const std::string& path, const ModelSummary&, const InputTransform&,
                   const PictureReading&) {
  throw FileError(path, "this build reads no pictures (SOFTSCOPE_IMAGE=OFF), only .npy tensors");
}

#endif

/// Reports options that say how a picture's file is read, where none is.
void noteUnread(const PictureReading& reading, const std::string& path) {
  const std::vector<std::string> given = readingOptions(reading);
  if (given.empty()) return;
  const auto options =
      std::ranges::count_if(given, [](const std::string& word) { return word.starts_with("--"); });
  noteOnResult(listText(given, " ") + (options > 1 ? " are" : " is") + " passed over, as " + path +
               " is no picture file");
}

}  // namespace

void addInputOptions(CLI::App& command, InputOptions& options) {
  command
      .add_option("--size", options.size,
                  "N: the published evaluation's resize and centre crop to N x N. HxW: the whole "
                  "picture at that size. full: the picture as it is")
      ->type_name("SIZE")
      ->group("Picture");
  addReadingOptions(command, options.reading);
}

void addReadingOptions(CLI::App& command, PictureReading& reading) {
  command
      .add_option_function<std::string>(
          "--exif",
          [&reading](const std::string& text) {
            if (text != "on" && text != "off") {
              throw UsageError("--exif is on or off, not \"" + text + "\"");
            }
            reading.orientation = text == "on" ? ExifOrientation::Apply : ExifOrientation::Ignore;
          },
          "off: ignore the camera's orientation, as published evaluations do")
      ->type_name("on|off:{off,on}")
      ->group("Picture");
  addSampleOptions(command, reading);
}

void addSampleOptions(CLI::App& command, PictureReading& reading) {
  command
      .add_option_function<std::string>(
          "--levels",
          [&reading](const std::string& text) {
            const auto range = parseSampleRange(text);
            if (!range) {
              throw UsageError(
                  "--levels is auto, full or LOW,HIGH (0 <= LOW < HIGH <= 65535), not \"" + text +
                  "\"");
            }
            reading.range = *range;
          },
          "Values of the file that become black and white. full: all that it can hold, 0 to 255 or "
          "to 65535 (default); auto: the picture's smallest and largest; LOW,HIGH: these, the same "
          "for every picture")
      ->type_name("auto|full|LOW,HIGH")
      ->group("Picture");
  command
      .add_option("--page", reading.page, "Page of a TIFF of several, counted from 1 (default: 1)")
      ->check(between(1, mostPicturePages))
      ->type_name("N")
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

Input readInput(const std::string& path, const ModelSummary& model, const InputOptions& options) {
  const InputTransform& transform = model.transform;
  const InputSize size = chosenSize(options.size);
  if (model.recorded && !options.size.empty()) {
    throw UsageError("--size does not go with the recording " + model.path +
                     ", which was made at one size; leave it out, or say published for it");
  }
  const bool isItsOwn = path.empty() || path == model.path;
  if (isItsOwn && model.recorded) {
    noteUnread(options.reading, model.path);
    return preparedInput(std::make_shared<const Picture>(pictureOf(*model.recorded, model.path)),
                         model, transform);
  }
  if (path.empty()) throw UsageError("there is no picture for " + model.path + "; give one");
  if (isRecording(path)) {
    noteUnread(options.reading, path);
    // A plain sheet suffices for other recordings, but nothing may be computed from it.
    return preparedInput(
        std::make_shared<const Picture>(model.recorded ? pictureOf(*recordedPictureAt(path), path)
                                                       : readRecordedPicture(path)),
        model, withInputSize(transform, size));
  }
  if (!isNpy(path)) {
    return pictureInput(path, model, withInputSize(transform, size), options.reading);
  }
  if (!options.size.empty()) {
    noteOnResult("--size is for pictures; " + path + " is fed to the network as it is");
  }
  noteUnread(options.reading, path);
  return tensorInput(path, model);
}

std::string pictureAmong(const std::vector<std::string>& models) {
  std::vector<std::string> recordings;
  std::copy_if(models.begin(), models.end(), std::back_inserter(recordings), isRecording);
  if (recordings.empty()) return {};
  if (recordings.size() == 1) return recordings.front();
  std::string found;
  std::shared_ptr<const RecordedPicture> first;
  for (const std::string& path : recordings) {
    const auto recorded = recordedPictureAt(path);
    if (!recorded->isInFile) continue;
    if (!first) {
      first = recorded;
      found = path;
    } else if (first->rgb != recorded->rgb || first->width != recorded->width) {
      throw UsageError(found + " and " + path +
                       " were recorded on different pictures, and a recording shows no other; draw "
                       "a figure of each");
    }
  }
  return first ? found : recordings.front();
}

}  // namespace softscope
