#include "core/train/DataSet.h"

#include "core/Error.h"
#include "core/image/PreparedPicture.h"
#include "core/image/Resample.h"
#include "core/train/ClassFolders.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace softscope {

namespace {

/// Decodes and prepares one file, or says why it cannot.
void addPicture(const ClassFolders::File& file, const Preparation& prepare, DataSet& data) {
  try {
    Picture picture = prepare(readPicture(file.path, ExifOrientation::Ignore));
    data.pictures.push_back({std::move(picture), file.label});
  } catch (const PictureError& error) {
    data.unreadable.push_back(error.what());
  } catch (const InspectionError& error) {
    data.unreadable.push_back(file.path + ": " + error.what());
  }
}

void requireEveryClass(const std::string& folder, const DataSet& data) {
  std::vector<std::size_t> counts(data.classes.size());
  for (const LabelledPicture& entry : data.pictures)
    ++counts[static_cast<std::size_t>(entry.label)];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) continue;
    throw DataSetError(
        (std::filesystem::path(folder) / data.classes[i]).string(),
        "holds no readable picture; the first problem was: " + data.unreadable.front());
  }
}

}  // namespace

DataSet readDataSet(const std::string& folder, const std::string& split, const Preparation& prepare,
                    const Progress& progress) {
  ClassFolders folders = listClassFolders(folder, split);
  DataSet data;
  data.classes = std::move(folders.classes);
  data.pictures.reserve(folders.files.size());
  const auto total = static_cast<double>(folders.files.size());
  for (std::size_t i = 0; i < folders.files.size(); ++i) {
    progress.report(static_cast<double>(i) / total, "Reading " + split);
    addPicture(folders.files[i], prepare, data);
  }
  requireEveryClass((std::filesystem::path(folder) / split).string(), data);
  return data;
}

Preparation withShorterSide(int side) {
  return [side](const Picture& picture) {
    constexpr double largestPixels = 1e7;
    const double scale = static_cast<double>(side) / std::min(picture.width, picture.height);
    const double width = std::max<double>(side, std::round(scale * picture.width));
    const double height = std::max<double>(side, std::round(scale * picture.height));
    if (width * height > largestPixels) {
      throw InspectionError("is too long and thin to be trained on");
    }
    return resample(picture, static_cast<int>(width), static_cast<int>(height),
                    InputTransform::Filter::Bicubic);
  };
}

Preparation asEvaluated(const InputTransform& transform) {
  // Without mean and deviation the values are level / 255, from which the levels come back exactly.
  InputTransform levels = transform;
  levels.mean = {0, 0, 0};
  levels.deviation = {1, 1, 1};
  return [levels](const Picture& picture) {
    const InputTensor input = preparePicture(picture, levels).input;
    const std::size_t plane = input.values.size() / 3;
    Picture kept{input.width, input.height, std::vector<std::uint8_t>(3 * plane), picture.path};
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < plane; ++i) {
        kept.rgb[3 * i + c] =
            static_cast<std::uint8_t>(std::lround(255 * input.values[c * plane + i]));
      }
    }
    return kept;
  };
}

}  // namespace softscope
