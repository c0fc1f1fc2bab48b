#pragma once

#include "core/analysis/ModelFunctions.h"
#include "core/analysis/deletion/DeletionMeasurement.h"
#include "widgets/settings/ComputeSettings.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <functional>
#include <memory>

namespace softscope {

class AnalysisChoice;
class AskedQueries;
class ComparisonChoice;
class ModelQueue;
class OpenModels;
class OpenedPicture;
class ShownLayers;
class ViewChoice;
class Worker;
struct WorkspaceState;

/// Everything the window shows, in one place and in parts: widgets draw them, ask them to change,
/// and hear what changed. Slow changes run on a worker and happen at once when they are ready; a
/// change that fails leaves everything as it was.
class Workspace : public QObject {
  Q_OBJECT

 public:
  Workspace(ModelOpener opener, ModelInspector inspector, QObject* parent = nullptr);
  ~Workspace() override;

  /// The one thread for all that takes time.
  Worker& worker() { return *worker_; }
  const Worker& worker() const { return *worker_; }
  OpenedPicture& picture() { return *picture_; }
  const OpenedPicture& picture() const { return *picture_; }
  OpenModels& models() { return *models_; }
  const OpenModels& models() const { return *models_; }
  ComparisonChoice& comparison() { return *comparison_; }
  const ComparisonChoice& comparison() const { return *comparison_; }
  ShownLayers& layers() { return *layers_; }
  const ShownLayers& layers() const { return *layers_; }
  /// Opens models, runs them, and opens them again in other ways.
  ModelQueue& queue() { return *queue_; }
  const ModelQueue& queue() const { return *queue_; }
  AskedQueries& queries() { return *queries_; }
  const AskedQueries& queries() const { return *queries_; }
  ViewChoice& view() { return *view_; }
  const ViewChoice& view() const { return *view_; }
  AnalysisChoice& analysis() { return *analysis_; }
  const AnalysisChoice& analysis() const { return *analysis_; }

  /// The page of the window that is in front.
  const QString& page() const { return page_; }
  void setPage(const QString& page);

  /// How models run and, unless they are empty, how shares and deletions are measured and tokens
  /// taken; all for the worker.
  const ModelInspector& inspector() const { return inspector_; }
  const ShareMeasurer& shareMeasurer() const { return shareMeasurer_; }
  void setShareMeasurer(ShareMeasurer measurer) { shareMeasurer_ = std::move(measurer); }
  const DeletionMeasurer& deletionMeasurer() const { return deletionMeasurer_; }
  void setDeletionMeasurer(DeletionMeasurer measurer) { deletionMeasurer_ = std::move(measurer); }
  const TokenInspector& tokenInspector() const { return tokenInspector_; }
  void setTokenInspector(TokenInspector inspector) { tokenInspector_ = std::move(inspector); }

  /// What may be used of this computer; of the user's, not of what is open. Threads hold from the
  /// worker's next piece of work on, the device for models that are opened from now on.
  const ComputeSettings& compute() const { return compute_; }
  void setCompute(const ComputeSettings& compute);
  /// Sets how many threads the calling thread's computations take; 0 for one on every core.
  void setThreadSetter(std::function<void(int)> setter);

  /// What it takes to have everything as it is now.
  WorkspaceState state() const;
  /// Makes everything as it was: at once what is plain, the rest as soon as it is read. What cannot
  /// be opened is told by failed(), the rest opens.
  void restore(const WorkspaceState& state);

 Q_SIGNALS:
  void pageChanged();
  void computeChanged();
  /// Any of what state() says.
  void changed();
  /// `details` is everything that is known, `message` its first sentence.
  void failed(const QString& message, const QString& details);
  /// A model did not fit on its GPU, which queue().runOnCpu() has an answer to.
  void gpuMemoryLacked(const QString& message, const QString& details);
  /// A recording has nothing to show on the picture; queue().bringPicture() brings its own.
  void pictureDiffers(const QString& message, const QString& details);

 private:
  void connectParts();
  void prepareWorker();

  ModelInspector inspector_;
  ShareMeasurer shareMeasurer_;
  DeletionMeasurer deletionMeasurer_;
  TokenInspector tokenInspector_;
  ComputeSettings compute_;
  std::function<void(int)> threadSetter_;
  /// Before its users, because they are made with it: what it runs holds all it needs itself.
  std::unique_ptr<Worker> worker_;
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
