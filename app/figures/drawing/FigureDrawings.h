#pragma once

#include "app/arguments/DrawsFigures.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "core/analysis/CostMeasurements.h"
#include "core/analysis/LayerMatrices.h"
#include "core/analysis/OverviewAnalysis.h"
#include "core/analysis/SaliencyAnalysis.h"
#include "core/analysis/ShareAnalysis.h"
#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/analysis/bottleneck/HeadBottleneck.h"
#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "core/analysis/bottleneck/NormsAnalysis.h"
#include "core/analysis/cka/CkaAnalysis.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/classmap/Sanity.h"
#include "core/analysis/deletion/PictureDeletion.h"
#include "core/analysis/reach/ReachAnalysis.h"
#include "core/analysis/spectrum/SpectrumAnalysis.h"
#include "core/analysis/tokens/TokenMatches.h"
#include "core/query/ComparedAnswers.h"
#include "core/survey/reading/SurveyAnswer.h"

#include <memory>
#include <vector>

namespace softscope {

// Each writes the figure of a kind's numbers if `--output` asked for it, and prints its name. Only
// builds that draw figures have them. All throw UsageError for marks that do not fit the queries.

void drawHeads(const FigureArguments& arguments, const AnalysedModels& analysed,
               const std::vector<LayerInspection>& layers,
               const std::vector<SharedLikeness>& likeness,
               const std::vector<PictureQuery>& queries);
/// Writes an interactive page, and reports on stderr the layers that are not on it.
void drawPage(const FigureArguments& arguments, const AnalysedModels& analysed,
              const std::vector<AnalysedLayer>& layers);
/// The content of one frame of a sweep: the answers of layers to queries.
struct SweepMoment {
  std::shared_ptr<const Picture> picture;
  PictureRegion region;
  std::string modelName;
  std::string mechanismNote;
  std::vector<LayerInspection> layers;
  /// How alike the answers of each layer's heads are.
  std::vector<SharedLikeness> likeness;
  std::vector<PictureQuery> queries;
};
/// Writes the frames of a sweep. Throws Cancelled.
void drawSweep(const FigureArguments& arguments, const std::vector<SweepMoment>& moments,
               const Progress& progress);
/// A comparison on one picture.
struct ComparedPicture {
  /// The command line's arguments with the queries and marks of this picture.
  FigureArguments arguments;
  AnalysedModels analysed;
  /// One row for each model.
  std::vector<CompareRow> rows;
  std::vector<PictureQuery> queries;
  std::vector<ComparedAnswer> answers;
};
void drawComparison(const FigureArguments& arguments, const std::vector<ComparedPicture>& pictures,
                    const std::vector<RowDifference>& differences);

/// Draws the figure of an analysis that is shown in plots.
template <typename A>
void drawPlotted(const FigureArguments& arguments, const typename A::Results& results);

void drawOverview(const FigureArguments& arguments, const std::vector<LayerOverview>& overview,
                  OverviewMeasure of);
void drawSaliency(const FigureArguments& arguments, const std::vector<LayerSaliency>& saliencies,
                  const std::shared_ptr<const Picture>& picture);
void drawRollouts(const FigureArguments& arguments, const std::vector<LayerRollout>& rollouts,
                  const std::vector<PictureQuery>& queries,
                  const std::shared_ptr<const Picture>& picture);
void drawClassMaps(const FigureArguments& arguments, const std::vector<ModelClassMaps>& maps,
                   const std::shared_ptr<const Picture>& picture);
void drawReach(const FigureArguments& arguments, const std::vector<LayerReach>& reaches,
               const PictureQuery& query, const std::shared_ptr<const Picture>& picture);
void drawTokens(const FigureArguments& arguments, const std::vector<TokenMap>& maps,
                const std::vector<PictureQuery>& queries);
void drawMatches(const FigureArguments& arguments, const std::vector<LayerMatches>& matches);
void drawMatrices(const FigureArguments& arguments, const std::vector<LayerMatrices>& matrices,
                  const MatrixSettings& settings, const std::vector<PictureQuery>& queries,
                  const std::shared_ptr<const Picture>& picture);
void drawBottlenecks(const FigureArguments& arguments,
                     const std::vector<HeadBottleneck>& bottlenecks,
                     const std::shared_ptr<const Picture>& picture);
void drawApproximations(const FigureArguments& arguments,
                        const std::vector<HeadApproximation>& approximations,
                        const std::vector<PictureQuery>& queries,
                        const std::shared_ptr<const Picture>& picture);
void drawLandmarkErrors(const FigureArguments& arguments, const std::vector<LandmarkError>& errors);
void drawNorms(const FigureArguments& arguments, const std::vector<LayerNorms>& results);
/// Draws shares, and reports on stderr the models that have no such map.
void drawShares(const FigureArguments& arguments, const std::vector<MeasuredShare>& measured);
void drawDeletions(const FigureArguments& arguments, const std::vector<PictureDeletion>& deletions);
void drawSanity(const FigureArguments& arguments, const std::vector<ModelSanity>& measured);
void drawCka(const FigureArguments& arguments, const ModelCka& cka);
void drawCosts(const FigureArguments& arguments, const CostMeasurements& measured);
void drawSurvey(const FigureArguments& arguments, const SurveyAnswer& answer, SurveyShow show);

}  // namespace softscope
