#pragma once

#include "core/analysis/ModelFunctions.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/deletion/DeletionMeasurement.h"
#include "core/analysis/reach/Reach.h"
#include "widgets/settings/ComputeSettings.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <functional>
#include <memory>

namespace softscope {

class AnalysisChoice;
class AskedQueries;
class ComparisonChoice;
class Jobs;
class ModelQueue;
class OpenModels;
class OpenedPicture;
class ShownLayers;
class ViewChoice;
class Worker;
struct WorkspaceState;

/// Holds everything the window shows, divided into parts: widgets draw them, ask them to change,
/// and are notified of changes. Slow changes are computed on a worker and take effect when they are
/// ready; a change that fails leaves everything as it was.
class Workspace : public QObject {
  Q_OBJECT

 public:
  Workspace(ModelOpener opener, ModelInspector inspector, QObject* parent = nullptr);
  ~Workspace() override;

  /// Returns the thread for everything that takes longer than a frame and less than minutes.
  Worker& worker() { return *worker_; }
  const Worker& worker() const { return *worker_; }
  /// Returns the measurements of minutes, which go on whatever is shown.
  Jobs& jobs() { return *jobs_; }
  const Jobs& jobs() const { return *jobs_; }
  OpenedPicture& picture() { return *picture_; }
  const OpenedPicture& picture() const { return *picture_; }
  OpenModels& models() { return *models_; }
  const OpenModels& models() const { return *models_; }
  ComparisonChoice& comparison() { return *comparison_; }
  const ComparisonChoice& comparison() const { return *comparison_; }
  ShownLayers& layers() { return *layers_; }
  const ShownLayers& layers() const { return *layers_; }
  /// Returns the queue that opens models, runs them, and opens them again with other settings.
  ModelQueue& queue() { return *queue_; }
  const ModelQueue& queue() const { return *queue_; }
  AskedQueries& queries() { return *queries_; }
  const AskedQueries& queries() const { return *queries_; }
  ViewChoice& view() { return *view_; }
  const ViewChoice& view() const { return *view_; }
  AnalysisChoice& analysis() { return *analysis_; }
  const AnalysisChoice& analysis() const { return *analysis_; }

  /// The name of the page that is in front.
  const QString& page() const { return page_; }
  void setPage(const QString& page);

  /// The functions that run models and, unless empty, measure shares and deletions and compute
  /// tokens; the worker calls them.
  const ModelInspector& inspector() const { return inspector_; }
  const ShareMeasurer& shareMeasurer() const { return shareMeasurer_; }
  void setShareMeasurer(ShareMeasurer measurer) { shareMeasurer_ = std::move(measurer); }
  const ClassMapMeasurer& classMapMeasurer() const { return classMapMeasurer_; }
  void setClassMapMeasurer(ClassMapMeasurer measurer) { classMapMeasurer_ = std::move(measurer); }
  const ReachMeasurer& reachMeasurer() const { return reachMeasurer_; }
  void setReachMeasurer(ReachMeasurer measurer) { reachMeasurer_ = std::move(measurer); }
  const DeletionMeasurer& deletionMeasurer() const { return deletionMeasurer_; }
  void setDeletionMeasurer(DeletionMeasurer measurer) { deletionMeasurer_ = std::move(measurer); }
  const TokenInspector& tokenInspector() const { return tokenInspector_; }
  void setTokenInspector(TokenInspector inspector) { tokenInspector_ = std::move(inspector); }

  /// How much of this computer may be used; this belongs to the user, not to what is open. The
  /// number of threads applies from the worker's next piece of work on, the device to models opened
  /// from now on.
  const ComputeSettings& compute() const { return compute_; }
  void setCompute(const ComputeSettings& compute);
  /// Sets the function that sets the number of threads for the calling thread's computations; 0
  /// means one per core.
  void setThreadSetter(std::function<void(int)> setter);

  /// Returns everything that is needed to restore the present state.
  WorkspaceState state() const;
  /// Restores a state: simple values at once, models and the picture as soon as they have been
  /// read. What cannot be opened is reported by failed(); the rest is opened.
  void restore(const WorkspaceState& state);

 Q_SIGNALS:
  void pageChanged();
  void computeChanged();
  /// Anything that state() contains has changed.
  void changed();
  /// `details` contain everything that is known, `message` is their first sentence.
  void failed(const QString& message, const QString& details);
  /// A model did not fit on its GPU; queue().runOnCpu() can be offered.
  void gpuMemoryLacked(const QString& message, const QString& details);
  /// A recording has nothing to show on the picture; queue().bringPicture() opens its own.
  void pictureDiffers(const QString& message, const QString& details);

 private:
  void connectParts();
  void prepareWorker();

  ModelInspector inspector_;
  ShareMeasurer shareMeasurer_;
  ClassMapMeasurer classMapMeasurer_;
  ReachMeasurer reachMeasurer_;
  DeletionMeasurer deletionMeasurer_;
  TokenInspector tokenInspector_;
  ComputeSettings compute_;
  std::function<void(int)> threadSetter_;
  /// Declared before the parts that use it because they are made with it; tasks own all they need.
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Jobs> jobs_;
  std::unique_ptr<OpenedPicture> picture_;
  std::unique_ptr<OpenModels> models_;
  std::unique_ptr<ComparisonChoice> comparison_;
  std::unique_ptr<ShownLayers> layers_;
  std::unique_ptr<ModelQueue> queue_;
  std::unique_ptr<AskedQueries> queries_;
  std::unique_ptr<ViewChoice> view_;
  std::unique_ptr<AnalysisChoice> analysis_;
  QString page_;
};

}  // namespace softscope
