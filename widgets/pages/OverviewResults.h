#pragma once

#include "core/analysis/OverviewAnalysis.h"
#include "core/analysis/Share.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/workspace/HeadWall.h"
#include "widgets/workspace/LatestResult.h"

#include <functional>
#include <memory>
#include <vector>

namespace softscope {

class Workspace;

/// The results that the worker computes for the page of all heads of the current model. Each result
/// stays until another one of its kind is asked for; one that is not there yet is null, and is then
/// computed.
class OverviewResults {
 public:
  using Overview = std::vector<LayerOverview>;

  /// `arrived` is called when a result is available.
  OverviewResults(Workspace& workspace, const std::function<void()>& arrived);

  /// Returns all layers of the current model.
  std::vector<AnalysedLayer> layers() const;
  /// Returns what is measured of each head.
  const Overview* overview(OverviewMeasure of);
  /// Returns the latest overview, or null.
  std::shared_ptr<const Overview> latestOverview() const { return overview_.shared(); }
  /// Returns the shares of the heads; null as well for a model that has none.
  const ModelShare* shares();
  /// Returns the numbers by which heads are sorted; `rows` are the layers that the shares are
  /// for.
  std::shared_ptr<const HeadNumbers> orderNumbers(const Overview& overview, HeadOrder order,
                                                  const std::vector<HeadWallRow>& rows);
  /// Begins to compute how alike the answers of a figure's heads are, for its caption; call it when
  /// no other result is being computed.
  void prepareLikeness(HeadsSubject subject);
  /// Returns what prepareLikeness() has computed for a figure, or null.
  std::shared_ptr<const std::vector<SharedLikeness>> likenessOf(const HeadsSubject& subject) const {
    return alike_.sharedFor(alikeOf(subject));
  }

  /// Allows results that are neither available nor pending to be computed again.
  void retry();
  /// Drops results of models that are no longer open.
  void releaseClosed();

 private:
  struct Subject {
    std::vector<AnalysedLayer> layers;
    OverviewMeasure of = OverviewMeasure::Distance;

    bool operator==(const Subject&) const = default;
  };
  /// Identifies measured shares.
  struct Shared {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Inspection> inspection;

    bool operator==(const Shared&) const = default;
  };
  /// Identifies the numbers that heads are sorted by.
  struct Ordered {
    std::vector<AnalysedLayer> layers;
    HeadOrder order = HeadOrder::Measure;

    bool operator==(const Ordered&) const = default;
  };
  /// Identifies how alike the answers of a figure's heads are.
  struct Alike {
    std::vector<std::shared_ptr<const AttentionMap>> layers;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Alike&) const = default;
  };
  static Alike alikeOf(const HeadsSubject& subject);
  using Share = std::shared_ptr<const ModelShare>;

  Workspace& workspace_;
  LatestResult<Subject, Overview> overview_;
  LatestResult<Shared, Share> shares_;
  LatestResult<Ordered, HeadNumbers> numbers_;
  LatestResult<Alike, std::vector<SharedLikeness>> alike_;
};

}  // namespace softscope
