#pragma once

namespace softscope {

/// A block of adjacent rows and columns of an attention matrix.
struct MatrixPart {
  int firstRow = 0;
  int firstColumn = 0;
  int rows = 0;
  int columns = 0;

  bool operator==(const MatrixPart&) const = default;
};

/// A part of a matrix in fractions of its size, measured from its left and its top.
struct MatrixFraction {
  double left = 0;
  double top = 0;
  double width = 1;
  double height = 1;

  /// True if the part is not empty and lies within the matrix, up to rounding.
  bool isInside() const;
  bool operator==(const MatrixFraction&) const = default;
};

/// Returns the rows and columns that a fraction of a queries x keys matrix touches; at least one of
/// each.
MatrixPart matrixPart(const MatrixFraction& fraction, int queries, int keys);

}  // namespace softscope
