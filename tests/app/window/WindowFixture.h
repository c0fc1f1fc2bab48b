#pragma once

#include "app/window/MainWindow.h"
#include "core/engine/Engine.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSize>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace softscope::test {

/// Tests of the window, which is closed before the members of the fixture end that its engine uses.
class WindowFixture : public testing::Test {
 protected:
  void TearDown() override { window_.reset(); }

  /// Shows a window and waits until what it opens has run. An empty size leaves it its own.
  void start(const Engine& engine, WindowOptions options, const QSize& size = {}) {
    window_ = std::make_unique<MainWindow>(engine, std::move(options));
    if (!size.isEmpty()) window_->resize(size);
    window_->show();
    settle();
  }
  void settle() { test::settle(window_->workspace()); }

  std::unique_ptr<MainWindow> window_;
};

}  // namespace softscope::test
