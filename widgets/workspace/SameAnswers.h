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

/// Which heads of the shown layer answer almost the same whatever is asked, by their line scores.
/// The worker finds it out once for each layer; until then, and of maps too large for it, nothing
/// is said.
class SameAnswers {
 public:
  /// `arrived` is called when it is known; both outlive this.
  SameAnswers(const Workspace& workspace, Worker& worker, std::function<void()> arrived);

  /// The line score of each head of the layer that is shown; null while it is not known.
  const std::vector<std::optional<double>>* scores();

 private:
  struct Subject {
    /// Of the layer; stands for it.
    std::shared_ptr<const AttentionMap> attention;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Subject&) const = default;
  };

  const Workspace& workspace_;
  LatestResult<Subject, std::vector<std::optional<double>>> scores_;
};

/// `almost the same for every query` of a head's line score; empty where it says otherwise.
QString sameAnswerText(const std::optional<double>& score);

}  // namespace softscope
