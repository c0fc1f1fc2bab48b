#pragma once

namespace softscope {

/// The direction in which an attention matrix is read.
enum class Direction {
  Rows,     ///< what a patch attends to
  Columns,  ///< who attends to a patch
};

}  // namespace softscope
