#pragma once

#include "core/array/Table.h"

#include <string>

namespace softscope {

/// The numbers of a table that a sentence compares.
struct ComparedNumbers {
  /// The subject of the sentence: `the largest singular value`.
  const char* quantity;
  const char* column;
  /// The column that the number is divided by, and its quantity; null for none.
  const char* divisor = nullptr;
  const char* divisorQuantity = nullptr;
  /// Takes only rows with this text in that column; null for all rows.
  const char* whereColumn = nullptr;
  const char* whereText = nullptr;
  /// The column whose texts are compared with each other.
  const char* groups = "model";
  /// Returns what the sentence calls a group; null for its text in the table.
  std::string (*groupName)(const std::string& text) = nullptr;
};

/// Says what the numbers are, in one sentence. Rows that are equal in `layer`, `head`, `picture`
/// and `query`, as far as there are such columns, repeat one number, and count once. For one group,
/// and for ratios, it gives the median and the range over heads: `The largest singular value is 0.9
/// in the median of 12 heads (0.2 to 1.1).` Two groups with the same layers and heads are compared
/// head by head: `The largest singular value of B is 0.11 of A's in the median of 12 heads, and
/// smaller in all.` Others are listed with their medians. Empty if the table has no such numbers,
/// or if such rows have different ones, none of which speaks for all.
std::string comparedSentence(const Table& table, const ComparedNumbers& numbers);

}  // namespace softscope
