#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

#include <memory>
#include <optional>
#include <string>

namespace softscope {

/// The number that a gradient is taken of: the logit of a class, or its difference to that of
/// another class.
struct LogitRequest {
  /// The class, from 0; if empty, the predicted one.
  std::optional<int> classIndex = {};
  /// A class whose logit is subtracted, from 0; if empty, none is.
  std::optional<int> against = {};

  bool operator==(const LogitRequest&) const = default;
};

/// A layer's attention times the gradient of a logit y, entry by entry: A ∘ ∂y/∂A. As y depends on
/// A through O = A V alone, ∂y/∂A = G V^T with G = ∂y/∂O, of rank d', the width of V. Entries have
/// a sign: the positive ones raise y as they grow in magnitude, and the sum of row i is G_i · O_i.
/// Every answer is the attention's own times one product of G and V, at d' more operations per
/// entry.
class GradientProductMap final : public AttentionMap {
 public:
  /// Describes what was differentiated.
  struct Logit {
    LogitRequest asked;
    std::string name;  ///< `tabby`, `tabby less tiger cat`
  };

  /// `gradient` G is [heads, queries, d'], `value` V [heads, keys, d']. Throws InspectionError
  /// unless both fit the map.
  GradientProductMap(std::shared_ptr<const AttentionMap> attention, MatrixStack gradient,
                     MatrixStack value, Logit logit);

  const Logit& logit() const { return logit_; }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  bool columnsReady() const override { return attention_->columnsReady(); }
  void prepareColumns(const Progress& progress) const override {
    attention_->prepareColumns(progress);
  }
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  std::size_t bytes() const override {
    return attention_->bytes() + gradient_.bytes() + value_.bytes();
  }

 private:
  std::shared_ptr<const AttentionMap> attention_;
  MatrixStack gradient_;
  MatrixStack value_;
  Logit logit_;
};

}  // namespace softscope
