#pragma once

#include "widgets/settings/ViewSettings.h"
#include "widgets/workspace/Worker.h"

#include <QtCore/QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

class AttentionMap;
class ComparisonChoice;
class OpenModels;
struct OpenedModel;

/// Which layer every model shows, how the others follow the chosen one, and which way their
/// matrices are read. Columns of a large softmax are prepared on the worker: layer and direction
/// change when those that will be shown are ready.
class ShownLayers : public QObject {
  Q_OBJECT

 public:
  using Maps = std::vector<std::shared_ptr<const AttentionMap>>;

  ShownLayers(OpenModels& models, const ComparisonChoice& comparison, Worker& worker);

  /// The current model's layer.
  void choose(const std::string& name);
  /// Any model's layer; where layers are linked, all others follow.
  void chooseFor(int index, const std::string& name);
  /// The next layer in the order they run, or the one before.
  void step(int steps);

  /// The layer a new model shows; where it has none of that name, its first of several heads.
  void setFirst(const std::string& name) { first_ = name; }
  /// The layer that a model shows when it is opened beside those that are there.
  std::string firstOf(const OpenedModel& opened) const;

  Direction direction() const { return direction_; }
  void setDirection(Direction direction);
  /// Has the worker prepare columns of those maps that cannot give them at once, and call `then`;
  /// false where there is nothing to prepare.
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
};

}  // namespace softscope
