#pragma once

#include "app/window/WindowOptions.h"
#include "tests/widgets/SyntheticModel.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope::test {

/// Returns the options of a window that opens a picture and models at these paths, which a
/// synthetic engine opens without files.
inline WindowOptions syntheticContent(const std::vector<std::string>& models,
                                      std::string picture = writeTestPicture(128, 64)) {
  WindowOptions options;
  options.picturePath = std::move(picture);
  for (const std::string& path : models) options.models.emplace_back().path = path;
  return options;
}

}  // namespace softscope::test
