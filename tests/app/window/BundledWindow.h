#pragma once

#include "app/commands/BundledModels.h"
#include "app/window/MainWindow.h"
#include "app/window/contents/PageBook.h"
#include "core/files/Resources.h"
#include "models/NetworkEngine.h"
#include "widgets/pages/Page.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace softscope::test {

/// The window with models of the box on a photograph, as the program opens them.
class BundledWindow : public testing::Test {
 protected:
  explicit BundledWindow(const std::vector<std::string>& models) {
    WindowOptions options;
    options.picturePath = resourcePath("pictures/chelsea.png");
    options.library = bundledModels;
    for (const std::string& name : models) {
      options.models.emplace_back();
      options.models.back().path = resourcePath("checkpoints/" + name + ".safetensors");
    }
    window_ = std::make_unique<MainWindow>(networkEngine(), options);
    window_->resize(1280, 800);
    window_->show();
    settle();
  }
  /// Waits until nothing is computed and no measurement goes on, nor what follows from either.
  void settle() {
    constexpr int patience = 120000;
    Workspace& workspace = window_->workspace();
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(QTest::qWaitFor(
          [&] { return !workspace.worker().isBusy() && !workspace.jobs().isBusy(); }, patience));
      QTest::qWait(20);
    }
  }
  /// Returns the page in front; null while an explanation takes its place.
  Page* page() { return window_->findChild<PageBook*>()->shownPage(); }

  std::unique_ptr<MainWindow> window_;
};

}  // namespace softscope::test
