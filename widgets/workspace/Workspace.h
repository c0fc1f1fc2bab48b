#pragma once

#include "core/engine/Engine.h"
#include "widgets/settings/ComputeSettings.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>
#include <vector>

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
  explicit Workspace(Engine engine, QObject* parent = nullptr);
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

  /// Returns what runs models; the worker and jobs call it.
  const Engine& engine() const { return engine_; }

  /// How much of this computer may be used; this belongs to the user, not to what is open. The
  /// number of threads applies from the worker's next piece of work on, the device to models opened
  /// from now on.
  const ComputeSettings& compute() const { return compute_; }
  void setCompute(const ComputeSettings& compute);

  /// Returns everything that is needed to restore the present state.
  WorkspaceState state() const;
  /// Restores a state: simple values at once, models and the picture as soon as they have been
  /// read. What cannot be opened is reported by failed(); what has a path in `missing` is not
  /// tried. Both stay in state(), and the rest is opened.
  void restore(const WorkspaceState& state, const std::vector<QString>& missing = {});
  /// True if state() has models or a picture that restore() could not open and that nothing has
  /// replaced since.
  bool hasUnopened() const;
  /// Drops from state() what restore() could not open.
  void forgetUnopened();

 Q_SIGNALS:
  void pageChanged();
  void computeChanged();
  /// Anything that state() contains has changed.
  void changed();
  /// `details` contain everything that is known, `message` is their first sentence.
  void failed(const QString& message, const QString& details);
  /// A model did not fit on its GPU, or that is not there; queue().runOnCpu() can be offered.
  void gpuMemoryLacked(const QString& message, const QString& details);
  /// A recording has nothing to show on the picture; queue().bringPicture() opens its own.
  void pictureDiffers(const QString& message, const QString& details);

 private:
  void connectParts();
  void prepareWorker();

  Engine engine_;
  ComputeSettings compute_;
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
