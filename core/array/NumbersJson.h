#pragma once

#include "core/array/Npz.h"
#include "core/array/Table.h"

#include <string>
#include <vector>

namespace softscope {

/// True if the file's name ends in `.json`.
bool isJsonFile(const std::string& path);

/// Writes `{"sentence": ..., "rows": [...]}` with one object per row of the table, whose members
/// are the columns in their order. Undefined cells and NaN are null; infinities are the texts `inf`
/// and
/// `-inf`, because JSON has no such numbers. Throws FileError.
void writeNumbersJson(const std::string& path, const Table& table);

/// Writes the same with one object per array: `name`, `shape`, and `values` nested by the shape, as
/// `numpy.array()` takes them. The sentence names the value largest in magnitude, and `notes` are a
/// member of texts if there are any. Throws FileError.
void writeNumbersJson(const std::string& path, const NamedArrays& arrays,
                      const std::vector<std::string>& notes = {});

}  // namespace softscope
