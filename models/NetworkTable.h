#pragma once

#include <string>

namespace softscope {

/// Returns the networks that open and their attention as a table in Markdown, for the README.
/// Families whose attention is described in the same words share a row.
std::string networkTable();

}  // namespace softscope
