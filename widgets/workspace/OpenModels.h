#pragma once

#include "widgets/workspace/OpenedModel.h"

#include <QtCore/QObject>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Holds the open models in the order in which they are shown, and which of them is current.
class OpenModels : public QObject {
  Q_OBJECT

 public:
  const std::vector<OpenedModel>& all() const { return models_; }
  /// Returns the current model, which panels show; null if there is none.
  const OpenedModel* current() const;
  int currentIndex() const { return current_; }
  void setCurrent(int index);
  /// Makes the model current that was so before the current one, so that two can be looked at in
  /// turn; the next model if the current one is the first to be looked at.
  void flip();
  /// Returns the model with that id, or null if it is no longer open.
  const OpenedModel* find(int id) const;

  /// Returns the current model if it fulfils the condition, or else the first model that does; null
  /// if none does.
  const OpenedModel* currentOrFirst(const std::function<bool(const OpenedModel&)>& condition) const;

  /// Returns the current model's chosen layer; null before an inspection.
  const LayerInspection* shownLayer() const;
  /// True if any model has a layer to show.
  bool anyIsShown() const;

  /// True if the model is left out where several are shown: it is silenced, and not all are.
  bool isLeftOut(const OpenedModel& model) const;
  /// Returns the indices of the models that are not left out.
  std::vector<std::size_t> heard() const;

  /// Puts a model in the place of the one with the id `replaces`, or after all others.
  void place(OpenedModel model, std::optional<int> replaces, bool becomesCurrent);
  /// Replaces the model with the same id by its new state; does nothing if it is no longer open.
  void update(const OpenedModel& model);
  void remove(int index);
  /// Puts the model at `from` where the one at `to` stands, between those beside it.
  void move(int from, int to);
  /// Names a model; if `name` is empty, it is named after its file again.
  void rename(int index, const QString& name);
  /// Silences a model, or lets it be heard again.
  void silence(int index, bool silenced);
  /// Collects a head for Compare or, if it was collected, takes it out again.
  void collect(int index, const HeadOfLayer& head);
  /// Takes all collected heads out of Compare.
  void takeAllOut();
  void clear();

  /// Sets the input size of the model's next run, if it has not seen the picture at that size yet.
  void wantSize(int id, const InputSize& size);
  /// Notes why a run failed; a model that was inspected before keeps its inspection.
  void noteFailure(int id, const QString& reason);
  void forgetFailures();
  /// Notes that the gradient of a logit was asked for, so that it is not asked for again, although
  /// the inspection may lack it.
  void noteLogit(int id, const std::optional<LogitRequest>& logit);
  /// Notes that no model waits for a run any longer; `reason` tells why to those that have nothing
  /// to show.
  void stopWaiting(const QString& reason);
  /// Drops all inspections, because the picture has changed.
  void forgetInspections();
  /// Shows the matrices of one channel in all models' layers that have such; without one, the mean.
  void showChannel(std::optional<int> channel);
  /// Sets the chosen layers, one for each model.
  void setLayers(const std::vector<std::string>& layers);

 Q_SIGNALS:
  /// A model was opened, closed, changed, or became the current one.
  void changed();
  /// A run ended, or its result is no longer valid.
  void inspectionChanged();
  void layerChanged();
  /// A model was silenced or is heard again, or a head was collected or taken out.
  void marksChanged();

 private:
  /// Returns the index of the model with that id, or the number of models if it is no longer open.
  std::size_t indexOf(int id) const;
  OpenedModel* row(int id);
  void tellChanged();
  void tellMarks();

  std::vector<OpenedModel> models_;
  std::optional<int> channel_;
  int current_ = 0;
  /// Id of the model that was current before.
  std::optional<int> before_;
};

}  // namespace softscope
