#pragma once

#include "widgets/settings/ViewSettings.h"
#include "widgets/workspace/Worker.h"

#include <QtCore/QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

class AttentionMap;
class ComparisonChoice;
class OpenModels;
struct OpenedModel;

/// Holds which layer every model shows, how the others follow the chosen one, and whether rows or
/// columns of their matrices are read. Columns of a large softmax are prepared on the worker: layer
/// and direction change once the columns to be shown are ready.
class ShownLayers : public QObject {
  Q_OBJECT

 public:
  using Maps = std::vector<std::shared_ptr<const AttentionMap>>;

  ShownLayers(OpenModels& models, const ComparisonChoice& comparison, Worker& worker);

  /// Chooses the current model's layer.
  void choose(const std::string& name);
  /// Chooses the layer of any model; if layers are linked, all others follow.
  void chooseFor(int index, const std::string& name);
  /// Moves to the next layer in the order they run, or to the previous one.
  void step(int steps);

  /// Sets the layer that a new model shows; a model without a layer of that name shows its first
  /// layer with several heads.
  void setFirst(const std::string& name) { first_ = name; }
  /// Returns the layer that a model shows when it is opened in addition to others.
  std::string firstOf(const OpenedModel& opened) const;

  Direction direction() const { return direction_; }
  void setDirection(Direction direction);
  /// Has the worker prepare the columns of those maps that cannot give them immediately, then calls
  /// `then`. Returns false if there is nothing to prepare.
  bool preparesColumns(Worker::Kind kind, Maps maps, std::function<void()> then);

 Q_SIGNALS:
  void directionChanged();

 private:
  void change(int id, const std::string& name);

  OpenModels& models_;
  const ComparisonChoice& comparison_;
  Worker& worker_;
  std::string first_;
  Direction direction_ = Direction::Rows;
  /// The model and its layer whose columns are being added up, as long as the worker awaits that.
  std::optional<std::pair<int, std::string>> wished_;
};

}  // namespace softscope
