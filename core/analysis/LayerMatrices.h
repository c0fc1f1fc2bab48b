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

/// A part of a head's matrix, averaged over even areas.
struct AveragedPart {
  MatrixPart part;
  /// Null if there are no averages.
  std::shared_ptr<const Matrix> values;
};

/// Returns the number of entries behind each average, down and across: `4 × 1.5`; `1 × 1` if
/// nothing is averaged.
std::string averagedText(const AveragedPart& averages);

/// One head's matrix, or a part of it, averaged.
struct HeadMatrix {
  int head = 0;
  AveragedPart averages;
  /// Empty until addLineMeasures() fills it in.
  LineMeasures lines;
};

/// The matrices of a layer's heads, or the reason why there are none.
struct LayerMatrices {
  AnalysedLayer of;
  std::vector<HeadMatrix> heads;
  std::string obstacle;
  /// The layer's map that the matrices belong to.
  ShownMap map = ShownMap::Attention;
  /// True if another head of the layer, one that is not among `heads`, is known to have negative
  /// averages of the same part. The colours are then those of signed values, as beside that head.
  bool isBesideSigned = false;
};

/// Returns the number of cells on a side of each panel: `asked`, or, if that is 0, as many as a
/// printed panel can show, and fewer if there are many panels. There is one panel for `head` of
/// each layer, or one for every head.
int matrixCells(const std::vector<AnalysedLayer>& layers, std::optional<int> head, int asked);

/// Averages `part` of the matrices of `head`, or of every head, to at most `cells` x `cells`. A
/// layer without that head or that map gets an obstacle. May throw Cancelled.
std::vector<LayerMatrices> averageMatrices(const std::vector<AnalysedLayer>& layers,
                                           std::optional<int> head, const MatrixFraction& part,
                                           int cells, ShownMap map = ShownMap::Attention,
                                           const Progress& progress = {});

/// Fills in the line measures of every head that has a matrix. The correlations with queries and
/// keys are measured only for attention itself.
void addLineMeasures(std::vector<LayerMatrices>& matrices, const Progress& progress = {});

/// Returns the matrices as `MODEL.LAYER.head_N` [rows, columns], and each line measure as
/// `MODEL.LAYER.NAME` [shown heads], NaN where it is not defined.
NamedArrays matrixArrays(const std::vector<LayerMatrices>& matrices);

/// Returns a note for each averaged matrix: `MODEL.LAYER.head_N: averages of 4 × 4 entries`.
std::vector<std::string> matrixNotes(const std::vector<LayerMatrices>& matrices);

}  // namespace softscope
