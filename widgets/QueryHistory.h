#pragma once

#include "widgets/PictureQuery.h"

#include <vector>

namespace softscope {

/// The places that are asked about: one that moves, and those that were pinned.
struct Queries {
  PictureQuery active;
  std::vector<PictureQuery> pins;

  bool operator==(const Queries&) const = default;
};

/// Queries that undo and redo walk through.
class QueryHistory {
 public:
  const Queries& now() const { return now_; }
  /// A step that undo takes back.
  void change(const Queries& next);
  /// A move without a step of its own: undo goes back to before the last change().
  void move(const PictureQuery& active) { now_.active = active; }

  bool canUndo() const { return !past_.empty(); }
  bool canRedo() const { return !future_.empty(); }
  void undo();
  void redo();
  /// Keeps the queries and forgets how they came about.
  void forget();

 private:
  Queries now_;
  std::vector<Queries> past_;
  std::vector<Queries> future_;
};

}  // namespace softscope
