#include "tests/widgets/SlowColumns.h"

#include "core/Progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace softscope::test {

Vector SlowColumns::column(int head, int key) const {
  EXPECT_TRUE(ready_) << "asked before it was prepared";
  return map_->column(head, key);
}

void SlowColumns::prepareColumns(const Progress& progress) const {
  while (!mayEnd) {
    progress.report(0.5, "slowly");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ready_ = true;
}

}  // namespace softscope::test
