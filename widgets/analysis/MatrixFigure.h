#pragma once

#include "core/analysis/LayerMatrices.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/MatrixPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Returns the title of a panel: the head, preceded by what distinguishes its layer or model from
/// others shown.
QString matrixTitle(const std::vector<LayerMatrices>& matrices, std::size_t layer,
                    const HeadMatrix& head, bool allHeads);
/// Returns `line 0.93`, short enough for a narrow panel, or `line 0.37, centred 0.48` if row means
/// differ; `constant` for a matrix without variance, `not finite` for one with such entries.
QString lineScoreText(const LineMeasures& lines, const AttentionDescription& attention);
/// Returns what is shown at which resolution: `attention matrix of head 2 · averages of 3 × 3
/// entries`.
QString matrixAbout(const std::vector<LayerMatrices>& matrices, const MatrixSettings& settings);

/// Returns the rows of a layer's matrix that the queries mean.
std::vector<RowMark> rowMarks(const AnalysedLayer& of, const PictureExtent& seen,
                              const std::vector<MarkedQuery>& queries);

/// Makes the panel of a head, without title, range and colours. It holds only the head's averages
/// and shows just the part that they cover.
MatrixPanel matrixPanel(const LayerMatrices& layer, const HeadMatrix& head);

/// Returns one range for each panel of a layer, from its averages by the view's normalisation.
std::vector<ValueRange> matrixRanges(const LayerMatrices& layer, const ViewSettings& view);

/// How matrices are drawn in a figure.
struct MatrixLooks {
  MatrixSettings settings;
  ViewSettings view;
  /// Queries whose rows are marked.
  std::vector<MarkedQuery> queries;
  /// The picture; may be null.
  std::shared_ptr<const Picture> picture;
};

/// Returns a block of panels for each layer, or a single block if each layer has one panel.
PanelFigure matrixFigure(const std::vector<LayerMatrices>& matrices, const MatrixLooks& looks);

}  // namespace softscope
