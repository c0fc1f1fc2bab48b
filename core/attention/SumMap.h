#pragma once

#include "core/attention/AttentionMap.h"

#include <memory>

namespace softscope {

/// The sum of two maps on the same V: everything that a layer applies to V if it has another term
/// beside its attention. Every answer is the sum of the two maps' answers, at the sum of their
/// costs.
class SumMap final : public AttentionMap {
 public:
  using Term = std::shared_ptr<const AttentionMap>;

  /// Copies the description of `first`. Throws InspectionError unless both maps have the same size.
  SumMap(Term first, Term second);

  const AttentionMap& first() const { return *first_; }
  const AttentionMap& second() const { return *second_; }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  bool columnsReady() const override;
  void prepareColumns(const Progress& progress) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                  const Progress& progress = {}) const override;
  std::size_t bytes() const override { return first_->bytes() + second_->bytes(); }

 private:
  Term first_;
  Term second_;
};

}  // namespace softscope
