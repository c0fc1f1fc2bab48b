#pragma once

#include "core/query/PictureQuery.h"

#include <cstddef>
#include <vector>

namespace softscope {

/// Each pin has a letter.
inline constexpr std::size_t mostPins = 26;

/// The places that are asked about: one that moves, and those that the user pinned.
struct Queries {
  PictureQuery active;
  std::vector<PictureQuery> pins;

  bool operator==(const Queries&) const = default;
};

/// The current queries, with undo and redo.
class QueryHistory {
 public:
  const Queries& now() const { return now_; }
  /// Sets the queries as a step that undo() takes back.
  void change(const Queries& next);
  /// Moves the active query as part of the last change(), so that undo() takes both back. If that
  /// change() set the queries that were already there (a drag that starts exactly on the query),
  /// this move makes it a step.
  void move(const PictureQuery& active);

  bool canUndo() const { return !past_.empty(); }
  bool canRedo() const { return !future_.empty(); }
  void undo();
  void redo();
  /// Keeps the current queries and clears the history.
  void forget();

 private:
  Queries now_;
  /// True if the last change() set the queries that were already there.
  bool unstepped_ = false;
  std::vector<Queries> past_;
  std::vector<Queries> future_;
};

}  // namespace softscope
