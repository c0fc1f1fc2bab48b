#pragma once

#include "core/array/Npz.h"
#include "core/array/Table.h"

#include <string>
#include <vector>

namespace softscope {

/// True if the file's name ends in `.json`.
bool isJsonFile(const std::string& path);

/// Writes a table as CSV or, if the file's name ends in `.json`, as `{"sentence": ..., "rows":
/// [...]}` with one object per row, whose members are the columns in their order. In JSON,
/// undefined cells and NaN are null, and infinities are the texts `inf` and `-inf`, because it has
/// no such numbers. Throws FileError.
void writeNumbersFile(const std::string& path, const Table& table);

/// Writes arrays as .npz or, if the file's name ends in `.json`, as the same object with one row
/// per array: `name`, `shape`, and `values` nested by the shape, as `numpy.array()` takes them. The
/// sentence is that of the arrays or, if they have none, names the value largest in magnitude,
/// which arrays of one quantity have, and how many are not finite; arrays that stand beside others,
/// such as `rollout_least_sum` beside `rollout`, are passed over in it. `notes` are a member of
/// texts if there are any. Names are as asFileName() makes them, and those that are then there
/// twice are numbered. Throws FileError.
void writeNumbersFile(const std::string& path, const NamedArrays& arrays,
                      const std::vector<std::string>& notes = {});

}  // namespace softscope
