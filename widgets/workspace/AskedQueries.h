#pragma once

#include "core/query/QueryToken.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/QueryHistory.h"

#include <QtCore/QObject>

#include <optional>
#include <string>
#include <vector>

namespace softscope {

class OpenModels;
class OpenedPicture;
class ShownLayers;
struct LayerInspection;

/// The places that are asked about, which are in the middle of a picture at first, with their undo
/// and redo, and what they mean in the current model's chosen layer.
class AskedQueries : public QObject {
  Q_OBJECT

 public:
  AskedQueries(const OpenedPicture& picture, const OpenModels& models, const ShownLayers& layers);

  const PictureQuery& query() const { return history_.now().active; }
  /// A new query, which undo takes back.
  void ask(const PictureQuery& query);
  /// Moves the query while a button is held: one step for undo, however far it goes.
  void drag(const PictureQuery& query);
  /// Moves to the centre of a neighbouring patch, within the grid.
  void step(int rows, int columns);
  void askPatch(const Patch& patch);
  /// From a patch to the first token before the patches, from one of these to the next, and from
  /// the last to the patch again.
  void askNextPrefixToken();
  /// How many tokens stand before the patches of the current layer.
  int prefixTokens() const;
  /// The query is such a token, in a layer that has it.
  bool asksPrefixToken() const {
    return query().prefixToken && *query().prefixToken < prefixTokens();
  }
  /// The query is a patch of the current layer.
  bool asksPatch() const { return grid() && !asksPrefixToken(); }

  /// Queries that stay while the other moves; at most as many as there are letters.
  const std::vector<PictureQuery>& pins() const { return history_.now().pins; }
  void pin(const PictureQuery& query);
  void unpin(int index);
  void clearPins();

  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }
  void undo();
  void redo();

  /// How the picture lies under the current model's grids.
  PictureExtent extent() const;
  /// The grid the query is chosen on, if the current layer has one.
  std::optional<TokenGrid> grid() const;
  /// The token the query means in the current layer.
  int token() const;
  /// The pins, lettered and coloured, and the query that moves unless it is one of them.
  std::vector<MarkedQuery> marked() const;

  /// The mark of the query that moves, where it is a patch of the current layer.
  std::optional<QueryMark> mark() const;

  /// All of them, as they are kept.
  const Queries& state() const { return history_.now(); }
  void restore(const Queries& queries);
  /// The query that moves, where it lies outside what the current model sees; then the nearest
  /// patch answers in its place.
  bool isOutside() const;

 Q_SIGNALS:
  /// The query, a pin, what can be undone, or what the query means.
  void changed();

 private:
  PictureQuery within(PictureQuery query) const;
  void change(const Queries& next);

  void followPicture();

  const OpenedPicture& picture_;
  /// The picture that the queries are places of; they stay for the first that comes after them.
  std::optional<std::string> asked_;
  const OpenModels& models_;
  const ShownLayers& layers_;
  QueryHistory history_;
};

}  // namespace softscope
