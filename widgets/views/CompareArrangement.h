#pragma once

#include <QtCore/QSize>

#include <optional>
#include <vector>

namespace softscope {

class CompareLineView;

/// The lines of a comparison as a table with a row for each query, in which every line is a cell
/// and the picture stands once per row.
struct CompareTable {
  /// Number of cells for each query, at least 2.
  int across = 0;
  /// True if cells are heads, whose rows may continue below; rows of models are read across.
  bool isOfHeads = false;
};

/// Arranges the lines of a comparison in a room of that size, from its top left corner: as a table,
/// if one is given and its columns are not too narrow, or else below one another. Returns the
/// height of all lines, which may be more than that of the room.
int arrangeCompareLines(const std::vector<CompareLineView*>& lines,
                        const std::optional<CompareTable>& table, const QSize& room);

}  // namespace softscope
