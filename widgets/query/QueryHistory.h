#pragma once

#include "core/query/PictureQuery.h"

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
  /// A move that belongs to the last change(): undo goes back to before that. One that changed
  /// nothing, as a drag's press on the very query, becomes a step with it.
  void move(const PictureQuery& active);

  bool canUndo() const { return !past_.empty(); }
  bool canRedo() const { return !future_.empty(); }
  void undo();
  void redo();
  /// Keeps the queries and forgets how they came about.
  void forget();

 private:
  Queries now_;
  /// The last change() was to what was there.
  bool unstepped_ = false;
  std::vector<Queries> past_;
  std::vector<Queries> future_;
};

}  // namespace softscope
