#pragma once

#include "core/inspect/LayerMap.h"
#include "core/query/HeadLikeness.h"
#include "widgets/workspace/LatestResult.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace softscope {

class Workspace;

/// Determines which heads of the shown layer give almost the same answer to every query. The worker
/// computes this once for each layer; before that, and for maps that are too large, nothing is
/// known.
class LayerLikeness {
 public:
  /// `arrived` is called when the result is available; the references outlive this object.
  LayerLikeness(const Workspace& workspace, Worker& worker, std::function<void()> arrived);

  /// Returns the likeness of each head of the shown layer; null while it is not known.
  const std::vector<HeadLikeness>* get();
  /// Returns what get() has found for the shown layer; null if nothing yet.
  SharedLikeness known() const;
  /// Allows get() to ask again for what was cancelled; see LatestResult::retry().
  void retry() { likeness_.retry(); }
  /// Drops the result of a layer that is no longer open.
  void releaseResults();

 private:
  struct Subject {
    /// The layer's attention, which identifies the layer.
    std::shared_ptr<const AttentionMap> attention;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Subject&) const = default;
  };

  /// Empty if there is no layer, or if its map is too large.
  std::optional<Subject> subject() const;

  const Workspace& workspace_;
  LatestResult<Subject, std::vector<HeadLikeness>> likeness_;
};

}  // namespace softscope
