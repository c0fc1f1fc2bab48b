#pragma once

#include "core/attention/AttentionMap.h"

#include <atomic>
#include <memory>

namespace softscope::test {

/// A map whose columns take as long as the test requests.
class SlowColumns final : public AttentionMap {
 public:
  explicit SlowColumns(const std::shared_ptr<const AttentionMap>& map)
      : AttentionMap(map->description()), map_(map) {}

  Vector row(int head, int query) const override { return map_->row(head, query); }
  /// Fails the test if called before prepareColumns().
  Vector column(int head, int key) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override {
    return map_->block(head, firstRow, firstColumn, rows, columns);
  }
  std::size_t bytes() const override { return 0; }
  bool columnsReady() const override { return ready_; }
  void prepareColumns(const Progress& progress) const override;

  inline static std::atomic<bool> mayEnd = false;

 private:
  std::shared_ptr<const AttentionMap> map_;
  mutable std::atomic<bool> ready_ = false;
};

}  // namespace softscope::test
