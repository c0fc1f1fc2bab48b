#include "core/train/DataSet.h"

#include "core/Error.h"
#include "core/image/PreparedPicture.h"
#include "core/image/Resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Decodes and prepares one file, or says why it cannot.
std::optional<Picture> preparedPicture(const std::string& path, const Preparation& prepare,
                                       std::vector<std::string>& unreadable) {
  try {
    return prepare(readPicture(path, ExifOrientation::Ignore));
  } catch (const PictureError& error) {
    unreadable.push_back(error.what());
  } catch (const InspectionError& error) {
    unreadable.push_back(path + ": " + error.what());
  }
  return std::nullopt;
}

/// Whether the file is the last of its class, whose files follow one another.
bool endsClass(const ClassFolders& folders, std::size_t file) {
  return file + 1 == folders.files.size() ||
         folders.files[file + 1].label != folders.files[file].label;
}

}  // namespace

std::vector<std::string> forEachPicture(const ClassFolders& folders, const Preparation& prepare,
                                        const PictureUse& use, const std::string& doing,
                                        const Progress& progress) {
  std::vector<std::string> unreadable;
  const auto total = static_cast<double>(folders.files.size());
  std::size_t unreadableBefore = 0;
  bool classRead = false;
  for (std::size_t i = 0; i < folders.files.size(); ++i) {
    progress.report(static_cast<double>(i) / total, doing);
    const ClassFolders::File& file = folders.files[i];
    if (auto picture = preparedPicture(file.path, prepare, unreadable)) {
      use({std::move(*picture), file.label});
      classRead = true;
    }
    if (!endsClass(folders, i)) continue;
    if (!classRead) {
      throw DataSetError(
          std::filesystem::path(file.path).parent_path().string(),
          "holds no readable picture; the first problem was: " + unreadable[unreadableBefore]);
    }
    classRead = false;
    unreadableBefore = unreadable.size();
  }
  return unreadable;
}

DataSet readDataSet(const std::string& folder, const std::string& split, const Preparation& prepare,
                    const Progress& progress) {
  const ClassFolders folders = listClassFolders(folder, split);
  DataSet data;
  data.classes = folders.classes;
  data.pictures.reserve(folders.files.size());
  const auto keep = [&](LabelledPicture picture) { data.pictures.push_back(std::move(picture)); };
  data.unreadable = forEachPicture(folders, prepare, keep, "Reading " + split, progress);
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
