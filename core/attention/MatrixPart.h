#pragma once

namespace softscope {

/// Some neighbouring rows and columns of an attention matrix.
struct MatrixPart {
  int firstRow = 0;
  int firstColumn = 0;
  int rows = 0;
  int columns = 0;

  bool operator==(const MatrixPart&) const = default;
};

}  // namespace softscope
