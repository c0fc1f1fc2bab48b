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

/// Holds the places that are asked about, at first the patch in the middle of the picture, with
/// undo and redo, and determines what they mean in the current model's chosen layer.
class AskedQueries : public QObject {
  Q_OBJECT

 public:
  AskedQueries(const OpenedPicture& picture, const OpenModels& models, const ShownLayers& layers);

  const PictureQuery& query() const { return history_.now().active; }
  /// Asks a new query, as a step that undo takes back.
  void ask(const PictureQuery& query);
  /// Moves the query while a button is held; the whole drag is one step for undo.
  void drag(const PictureQuery& query);
  /// Moves the query to the centre of a neighbouring patch, within the grid.
  void step(int rows, int columns);
  void askPatch(const Patch& patch);
  /// Moves the query from a patch to the first token before the patches, from there to the next of
  /// these tokens, and from the last back to the patch.
  void askNextPrefixToken();
  /// Returns the number of tokens before the patches of the current layer.
  int prefixTokens() const;
  /// True if the query is a token before the patches, in a layer that has it.
  bool asksPrefixToken() const {
    return query().prefixToken && *query().prefixToken < prefixTokens();
  }
  /// True if the query is a patch of the current layer.
  bool asksPatch() const { return grid() && !asksPrefixToken(); }

  /// The pinned queries, which stay in place while the current query moves. There are at most as
  /// many as letters to mark them with.
  const std::vector<PictureQuery>& pins() const { return history_.now().pins; }
  void pin(const PictureQuery& query);
  void unpin(int index);
  void clearPins();

  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }
  void undo();
  void redo();
  /// Keeps the queries, and leaves nothing to undo or redo.
  void forgetHistory();

  /// Returns the position of the picture under the current model's grids.
  PictureExtent extent() const;
  /// Returns the grid on which the query is chosen, if the current layer has one.
  std::optional<TokenGrid> grid() const;
  /// Returns the token that the query means in the current layer.
  int token() const;
  /// Returns the pins with letters and colours, followed by the moving query unless it is one of
  /// them.
  std::vector<MarkedQuery> marked() const;

  /// Returns the mark of the moving query, if it is a patch of the current layer.
  std::optional<QueryMark> mark() const;

  /// Returns the marks of the pins that are patches of the current layer.
  std::vector<QueryMark> pinMarks() const;

  /// Returns all queries in the form in which a workspace keeps them.
  const Queries& state() const { return history_.now(); }
  void restore(const Queries& queries);
  /// True if the moving query lies outside what the current model sees; the nearest patch then
  /// answers instead.
  bool isOutside() const;

 Q_SIGNALS:
  /// The query, the pins, the undo history, or what the query means has changed.
  void changed();

 private:
  /// Identifies a picture by its path, or by its bytes if it was pasted. Reading the same picture
  /// in another way does not change it.
  struct Asked {
    std::string path;
    QByteArray bytes;

    bool operator==(const Asked&) const = default;
  };

  PictureQuery within(PictureQuery query) const;
  void change(const Queries& next);

  void followPicture();
  /// Asks the centre of the middle patch if nothing else was asked. In the middle of the picture
  /// patches have a border, on whose sides models with crops of their own would answer.
  void followLayer();

  const OpenedPicture& picture_;
  /// Identifies the picture that the queries belong to; it is unset for queries that apply to the
  /// first picture to be opened.
  std::optional<Asked> asked_;
  const OpenModels& models_;
  const ShownLayers& layers_;
  QueryHistory history_;
  /// True until something is asked on this picture.
  bool isUnasked_ = true;
};

}  // namespace softscope
