#pragma once

#include "app/commands/BundledModels.h"
#include "app/window/contents/PageBook.h"
#include "core/files/Resources.h"
#include "models/NetworkEngine.h"
#include "tests/app/window/WindowFixture.h"
#include "widgets/pages/Page.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope::test {

/// The window with models of the box on a photograph, as the program opens them.
class BundledWindow : public WindowFixture {
 protected:
  explicit BundledWindow(const std::vector<std::string>& models) {
    WindowOptions options;
    options.picturePath = resourcePath("pictures/chelsea.png");
    options.library = bundledModels;
    for (const std::string& name : models) {
      options.models.emplace_back();
      options.models.back().path = resourcePath("checkpoints/" + name + ".safetensors");
    }
    start(networkEngine(), std::move(options), {1280, 800});
  }
  /// Returns the page in front; null while an explanation takes its place.
  Page* page() { return window_->findChild<PageBook*>()->shownPage(); }
};

}  // namespace softscope::test
