#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/LineMeasures.h"
#include "core/array/Npz.h"
#include "core/attention/MatrixPart.h"
#include "core/attention/ShownMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A part of a head's matrix as averages over even areas of it.
struct AveragedPart {
  MatrixPart part;
  /// Null where there is none.
  std::shared_ptr<const Matrix> values;
};

/// How many entries each value is the average of, down and across: `4 × 1.5`, `1 × 1` where none
/// is.
std::string averagedText(const AveragedPart& averages);

/// One head's matrix, or a part of it, averaged.
struct HeadMatrix {
  int head = 0;
  AveragedPart averages;
  /// Empty before they were asked for.
  LineMeasures lines;
};

/// The matrices of a layer's heads, or why there is none.
struct LayerMatrices {
  AnalysedLayer of;
  std::vector<HeadMatrix> heads;
  std::string obstacle;
  /// Which of the layer's maps they are.
  ShownMap map = ShownMap::Attention;
};

/// Cells on a side of each panel: as many as were `asked` for; for 0 as many as a printed panel
/// shows, and fewer where there are many panels: one for `head` of each layer, or for all heads.
int matrixCells(const std::vector<AnalysedLayer>& layers, std::optional<int> head, int asked);

/// `part` of the matrices of `head`, or of every head, averaged to at most `cells` x `cells`. A
/// layer without that head or that map gets an obstacle. May throw Cancelled.
std::vector<LayerMatrices> averageMatrices(const std::vector<AnalysedLayer>& layers,
                                           std::optional<int> head, const MatrixFraction& part,
                                           int cells, ShownMap map = ShownMap::Attention,
                                           const Progress& progress = {});

/// Fills in what is measured of the lines of every head that is there. What queries and keys
/// explain of them is measured of attention alone.
void addLineMeasures(std::vector<LayerMatrices>& matrices, const Progress& progress = {});

/// `MODEL.LAYER.head_N` [rows, columns], and for each line measure `MODEL.LAYER.NAME` [heads that
/// are shown], not a number where it is not defined.
NamedArrays matrixArrays(const std::vector<LayerMatrices>& matrices);

/// Which matrices are averages, and of how many entries: `MODEL.LAYER.head_N: averages of 4 × 4
/// entries`.
std::vector<std::string> matrixNotes(const std::vector<LayerMatrices>& matrices);

}  // namespace softscope
