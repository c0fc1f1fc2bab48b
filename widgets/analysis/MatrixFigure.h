#pragma once

#include "core/analysis/LayerMatrices.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/MatrixPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What stands above a panel: the head, and before it what tells its layer or model from others
/// that are shown.
QString matrixTitle(const std::vector<LayerMatrices>& matrices, std::size_t layer,
                    const HeadMatrix& head, bool allHeads);
/// `line 0.93`, short enough for a narrow panel, and `line 0.37, centred 0.48` where row means
/// differ.
QString lineScoreText(const LineMeasures& lines, const AttentionDescription& attention);
/// What is shown, and how exactly: `attention matrix of head 2 · averages of 3 × 3 entries`.
QString matrixAbout(const std::vector<LayerMatrices>& matrices, const MatrixSettings& settings);

/// The rows of a layer that queries mean.
std::vector<RowMark> rowMarks(const AnalysedLayer& of, const PictureExtent& seen,
                              const std::vector<MarkedQuery>& queries);

/// A panel of a head, without title, range and colours; `averages` is all there is of it.
MatrixPanel matrixPanel(const LayerMatrices& layer, const HeadMatrix& head);

/// One range for each panel of a layer, by the view's normalisation of its averages.
std::vector<ValueRange> matrixRanges(const LayerMatrices& layer, const ViewSettings& view);

/// What matrices are printed with.
struct MatrixLooks {
  MatrixSettings settings;
  ViewSettings view;
  /// Their rows are marked.
  std::vector<MarkedQuery> queries;
  /// May be null.
  std::shared_ptr<const Picture> picture;
};

/// A block of panels for each layer; a single block where each has one panel.
PanelFigure matrixFigure(const std::vector<LayerMatrices>& matrices, const MatrixLooks& looks);

}  // namespace softscope
