#pragma once

#include "widgets/workspace/OpenedModel.h"

#include <QtCore/QObject>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The models that are open, in the order they are shown, and which of them panels show.
class OpenModels : public QObject {
  Q_OBJECT

 public:
  const std::vector<OpenedModel>& all() const { return models_; }
  /// The model that panels show, or null.
  const OpenedModel* current() const;
  int currentIndex() const { return current_; }
  void setCurrent(int index);
  /// Null for one that is gone.
  const OpenedModel* find(int id) const;

  /// The current model's chosen layer; null before an inspection.
  const LayerInspection* shownLayer() const;
  /// Whether any model has a layer to show.
  bool anyIsShown() const;

  /// Puts a model where the one with the id `replaces` is, or after all others.
  void place(OpenedModel model, std::optional<int> replaces, bool becomesCurrent);
  /// What a model has become; nothing happens if it is gone.
  void update(const OpenedModel& model);
  void remove(int index);
  /// Calls a model so; by its file again where `name` is empty.
  void rename(int index, const QString& name);
  void clear();

  /// A size that it has not yet seen the picture at is kept for its next run.
  void wantSize(int id, const InputSize& size);
  /// Notes why a run failed; a model that was inspected before keeps what it saw.
  void noteFailure(int id, const QString& reason);
  void forgetFailures();
  /// No model waits for a run any longer: `reason` says why to those that have nothing to show.
  void stopWaiting(const QString& reason);
  /// Their inspections are of another picture.
  void forgetInspections();
  /// One for each model.
  void setLayers(const std::vector<std::string>& layers);

 Q_SIGNALS:
  /// A model came, went, changed, or became the current one.
  void changed();
  /// A run ended, or what it showed no longer holds.
  void inspectionChanged();
  void layerChanged();

 private:
  /// As many as there are for one that is gone.
  std::size_t indexOf(int id) const;
  OpenedModel* row(int id);
  void tellChanged();

  std::vector<OpenedModel> models_;
  int current_ = 0;
};

}  // namespace softscope
