#pragma once

#include "core/inspect/LayerMap.h"
#include "widgets/workspace/LatestResult.h"

#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace softscope {

class Workspace;

/// How alike a head's answers are; nothing where that is not defined.
struct HeadLikeness {
  /// The share of the matrix's variance that is the same for every query.
  std::optional<double> lineScore;
  /// The mean correlation of two answers, whatever their sizes.
  std::optional<double> rows;
};

/// Which heads of the shown layer answer almost the same whatever is asked. The worker finds it out
/// once for each layer; until then, and of maps too large for it, nothing is said.
class SameAnswers {
 public:
  /// `arrived` is called when it is known; both outlive this.
  SameAnswers(const Workspace& workspace, Worker& worker, std::function<void()> arrived);

  /// Of each head of the layer that is shown; null while it is not known.
  const std::vector<HeadLikeness>* get();
  /// Forgets a layer that is no longer open.
  void letGo();

 private:
  struct Subject {
    /// Of the layer; stands for it.
    std::shared_ptr<const AttentionMap> attention;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Subject&) const = default;
  };

  const Workspace& workspace_;
  LatestResult<Subject, std::vector<HeadLikeness>> likeness_;
};

/// `almost the same for every query` of a head whose line score says so; `same pattern for every
/// query` where only the answers' sizes differ, which a range of each answer's own does not show;
/// else nothing.
QString sameAnswerText(const HeadLikeness& likeness);

}  // namespace softscope
