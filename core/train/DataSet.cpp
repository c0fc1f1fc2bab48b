#include "core/train/DataSet.h"

#include "core/Error.h"
#include "core/image/PreparedPicture.h"
#include "core/image/Resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace softscope {

namespace {

/// Returns true if the file is the last of its class; files of a class are contiguous.
bool endsClass(const ClassFolders& folders, std::size_t file) {
  return file + 1 == folders.files.size() ||
         folders.files[file + 1].label != folders.files[file].label;
}

}  // namespace

void ReadableClasses::add(const std::string& problem) {
  const std::size_t file = next_++;
  if (problem.empty()) {
    classRead_ = true;
  } else {
    unreadable_.push_back(problem);
  }
  if (!endsClass(folders_, file)) return;
  if (!classRead_) {
    throw DataSetError(
        std::filesystem::path(folders_.files[file].path).parent_path().string(),
        "holds no readable picture; the first problem was: " + unreadable_[unreadableBefore_]);
  }
  classRead_ = false;
  unreadableBefore_ = unreadable_.size();
}

std::string readProblem(const std::string& path, const std::function<void()>& read) {
  try {
    read();
  } catch (const PictureError& error) {
    return error.what();
  } catch (const InspectionError& error) {
    return path + ": " + error.what();
  }
  return {};
}

std::vector<std::string> forEachPicture(const ClassFolders& folders, const Preparation& prepare,
                                        const PictureUse& use, const std::string& doing,
                                        const Progress& progress) {
  ReadableClasses classes(folders);
  const auto total = static_cast<double>(folders.files.size());
  for (std::size_t i = 0; i < folders.files.size(); ++i) {
    progress.report(static_cast<double>(i) / total, doing);
    const ClassFolders::File& file = folders.files[i];
    LabelledPicture picture{{}, file.label};
    const std::string problem = readProblem(file.path, [&] {
      usePicture(file.path, asPublished, [&](const Picture& stored) {
        picture.picture = prepare(stored);
        picture.picture.source = stored.source;
      });
    });
    if (problem.empty()) use(std::move(picture));
    classes.add(problem);
  }
  return classes.unreadable();
}

DataSet readDataSet(const std::string& folder, const std::string& split, const Preparation& prepare,
                    const Progress& progress) {
  const ClassFolders folders = listClassFolders(folder, split);
  DataSet data;
  data.classes = folders.classes;
  data.pictures.reserve(folders.files.size());
  const auto keep = [&](LabelledPicture picture) {
    const Picture& read = picture.picture;
    data.noted.add(read.path, sourceNote(read.source, OptionsInNote::Unnamed));
    data.pictures.push_back(std::move(picture));
  };
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
  // Without mean and deviation, the values are level / 255, from which the levels can be recovered
  // exactly.
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
