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

/// Which heads of the shown layer answer almost the same whatever is asked. The worker finds it out
/// once for each layer; until then, and of maps too large for it, nothing is said.
class SameAnswers {
 public:
  /// `arrived` is called when it is known; both outlive this.
  SameAnswers(const Workspace& workspace, Worker& worker, std::function<void()> arrived);

  /// Of each head of the layer that is shown; null while it is not known.
  const std::vector<HeadLikeness>* get();
  /// What get() has found out of that layer; null where it has not.
  SharedLikeness known() const;
  /// Forgets a layer that is no longer open.
  void letGo();

 private:
  struct Subject {
    /// Of the layer; stands for it.
    std::shared_ptr<const AttentionMap> attention;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Subject&) const = default;
  };

  /// Nothing where there is no layer, or none of which it is found out.
  std::optional<Subject> subject() const;

  const Workspace& workspace_;
  LatestResult<Subject, std::vector<HeadLikeness>> likeness_;
};

}  // namespace softscope
