#include "app/figures/drawing/FigureDrawings.h"

#include "app/arguments/DrawingArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/TypedCommand.h"
#include "app/arguments/UsageError.h"
#include "app/figures/drawing/HeadlessApplication.h"
#include "core/analysis/registry/Analyses.h"
#include "core/files/AtomicFile.h"
#include "core/query/Caveats.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/analysis/DeletionFigure.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/analysis/MatrixFigure.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/analysis/PlottedFigure.h"
#include "widgets/analysis/SurveyFigure.h"
#include "widgets/analysis/TokensFigure.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/figure/InteractivePage.h"
#include "widgets/figure/SweepFile.h"
#include "widgets/paint/QueryMark.h"

#include <algorithm>
#include <functional>

namespace softscope {

namespace {

/// Makes and writes a figure if one was asked for.
void writeFigureOf(const FigureArguments& arguments, const std::function<PanelFigure()>& make) {
  if (arguments.output.empty()) return;
  const HeadlessApplication application;
  PanelFigure figure = make();
  figure.settings = figureSettingsOf(arguments);
  saveFigure(
      arguments.output, panelFigureSize(figure), figure.settings.dpi,
      [&](QPainter& painter, const QRectF& place) { paintPanelFigure(painter, place, figure); },
      figureTitle(figure));
  sayWrittenOf(arguments, arguments.output);
}

/// Says what captions would have said, had they not been left out.
void noteUntitled(const FigureArguments& arguments, const std::vector<std::string>& caveats) {
  if (arguments.output.empty() || figureSettingsOf(arguments).titles) return;
  for (const std::string& caveat : caveats) noteOnResult(caveat);
}

/// Queries with the marks that `--mark` gives them.
std::vector<MarkedQuery> withMarks(const FigureArguments& arguments,
                                   const std::vector<PictureQuery>& places) {
  std::vector<MarkedQuery> queries = markedQueries(places);
  const std::vector<ChosenMark> marks = chosenMarks(arguments);
  if (marks.empty()) return queries;
  if (marks.size() != queries.size()) {
    throw UsageError("--mark was given " + std::to_string(marks.size()) + " times for " +
                     std::to_string(queries.size()) + " queries; give it once per query");
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    queries[i].letter = QString::fromStdString(marks[i].letter);
    queries[i].color = QColor(QString::fromStdString(marks[i].color));
  }
  return queries;
}

/// Says which models have no such map, unless none has one: then the figure itself says why.
void noteShareObstacles(const std::vector<MeasuredShare>& measured, ShareReference of) {
  const auto obstacle = [&](const MeasuredShare& model) {
    return shareObstacle(*model.share, of).toStdString();
  };
  if (std::all_of(measured.begin(), measured.end(),
                  [&](const auto& model) { return !obstacle(model).empty(); })) {
    return;
  }
  for (const MeasuredShare& model : measured) {
    if (!obstacle(model).empty()) noteOnResult(model.model + " is left out: " + obstacle(model));
  }
}

}  // namespace

void drawHeads(const FigureArguments& arguments, const AnalysedModels& analysed,
               const std::vector<LayerInspection>& layers,
               const std::vector<SharedLikeness>& likeness,
               const std::vector<PictureQuery>& queries) {
  const AnalysedModel& model = analysed.models.front();
  HeadsSubject subject;
  subject.picture = analysed.picture;
  subject.region = model.region;
  subject.modelName = model.title;
  subject.mechanismNote = model.note;
  subject.layers = layers;
  subject.queries = withMarks(arguments, queries);
  subject.shown = parseHeads(arguments.heads).shown();
  subject.direction = arguments.readDirection();
  subject.map = arguments.shown.map;
  subject.view = viewOf(arguments);
  subject.likeness = likeness;
  writeFigureOf(arguments, [&] { return headsFigure(subject); });
  noteUntitled(arguments, answerCaveats(answersOf(subject)));
}

void drawPage(const FigureArguments& arguments, const AnalysedModels& analysed,
              const std::vector<AnalysedLayer>& layers) {
  const HeadlessApplication application;
  PageSubject subject;
  subject.picture = analysed.picture;
  for (const AnalysedModel& model : analysed.models) {
    subject.models.push_back({model.title, model.note, model.region, {}});
    for (const AnalysedLayer& of : layers) {
      if (of.inspection == model.inspection) subject.models.back().layers.push_back(of.layer());
    }
  }
  subject.map = arguments.shown.map;
  subject.direction = arguments.readDirection();
  const AnalysedModel& first = analysed.models.front();
  subject.query = parseQueries(arguments.queries, layers.front().attention(),
                               extentOf(analysed.picture.get(), first.region), subject.direction)
                      .front();
  const ShownHeads heads = parseHeads(arguments.heads).shown();
  subject.head = heads.mean            ? AttentionValues::meanOfHeads
                 : heads.largest       ? AttentionValues::largestOfHeads
                 : heads.heads.empty() ? 0
                                       : heads.heads.front();
  if (subject.head >= 0) layers.front().layer().attention->checkHead(subject.head);
  subject.view = viewOf(arguments);
  subject.command = typedCommand();
  const InteractivePage page = interactivePage(subject);
  for (const std::string& layer : page.leftOut) noteOnResult(layer);
  writeFileAtomically(arguments.output, page.text);
  sayWrittenOf(arguments, arguments.output);
}

void drawSweep(const FigureArguments& arguments, const std::vector<SweepMoment>& moments,
               const Progress& progress) {
  if (arguments.output.empty()) return;
  const HeadlessApplication application;
  std::vector<HeadsSubject> subjects;
  std::vector<std::string> caveats;
  for (const SweepMoment& moment : moments) {
    HeadsSubject& subject = subjects.emplace_back();
    subject.picture = moment.picture;
    subject.region = moment.region;
    subject.modelName = moment.modelName;
    subject.mechanismNote = moment.mechanismNote;
    subject.layers = moment.layers;
    subject.queries = withMarks(arguments, moment.queries);
    subject.shown = parseHeads(arguments.heads).shown();
    subject.direction = arguments.readDirection();
    subject.map = arguments.shown.map;
    subject.view = viewOf(arguments);
    subject.likeness = moment.likeness;
    for (const std::string& caveat : answerCaveats(answersOf(subject))) {
      if (std::ranges::find(caveats, caveat) == caveats.end()) caveats.push_back(caveat);
    }
  }
  saveSweep(arguments.output, sweepFrames(subjects, progress),
            arguments.analysis.of<SweepSettings>(), figureSettingsOf(arguments), progress);
  sayWrittenOf(arguments, arguments.output);
  noteUntitled(arguments, caveats);
}

void drawComparison(const FigureArguments& arguments, const std::vector<ComparedPicture>& pictures,
                    const std::vector<RowDifference>& differences) {
  std::vector<CompareSubject> subjects;
  for (const ComparedPicture& of : pictures) {
    CompareSubject subject;
    subject.picture = of.analysed.picture;
    for (std::size_t i = 0; i < of.rows.size(); ++i) {
      const AnalysedModel& model = of.analysed.models[i];
      const CompareRow& row = of.rows[i];
      subject.rows.push_back(compareRow(model.summary(), *model.inspection, row.layer, row.region));
      subject.rows.back().modelName = row.modelName;
      subject.rows.back().mechanismNote = model.note;
    }
    subject.queries = withMarks(of.arguments, of.queries);
    subject.shown = parseHeads(arguments.heads).shown();
    subject.direction = arguments.readDirection();
    subject.map = arguments.shown.map;
    subject.view = viewOf(arguments);
    subject.linkedScales = arguments.comparison.linkedScales;
    subject.differences = differences;
    subjects.push_back(std::move(subject));
  }
  writeFigureOf(arguments, [&] { return compareFigure(subjects, figureSettingsOf(arguments)); });
  for (const CompareSubject& subject : subjects) {
    noteUntitled(arguments, answerCaveats(answersOf(subject)));
  }
}

void drawOverview(const FigureArguments& arguments, const std::vector<LayerOverview>& overview,
                  OverviewMeasure of) {
  writeFigureOf(arguments, [&] { return overviewFigure(overview, of); });
}

void drawSaliency(const FigureArguments& arguments, const std::vector<LayerSaliency>& saliencies,
                  const std::shared_ptr<const Picture>& picture) {
  writeFigureOf(arguments, [&] { return saliencyFigure(saliencies, picture, viewOf(arguments)); });
}

void drawRollouts(const FigureArguments& arguments, const std::vector<LayerRollout>& rollouts,
                  const std::vector<PictureQuery>& queries,
                  const std::shared_ptr<const Picture>& picture) {
  const std::vector<MarkedQuery> marked = withMarks(arguments, queries);
  writeFigureOf(arguments, [&] {
    return rolloutFigure(rollouts, arguments.analysis.of<RolloutSettings>(), marked, picture,
                         viewOf(arguments));
  });
}

void drawClassMaps(const FigureArguments& arguments, const std::vector<ModelClassMaps>& maps,
                   const std::shared_ptr<const Picture>& picture) {
  writeFigureOf(arguments, [&] {
    return classFigure(maps, arguments.analysis.of<ClassMapSettings>(), picture, viewOf(arguments));
  });
}

void drawReach(const FigureArguments& arguments, const std::vector<LayerReach>& reaches,
               const PictureQuery& query, const std::shared_ptr<const Picture>& picture) {
  const std::vector<MarkedQuery> marked = withMarks(arguments, {query});
  writeFigureOf(arguments, [&] {
    return reachFigure(reaches, arguments.analysis.of<ReachSettings>(), query, marked, picture,
                       viewOf(arguments));
  });
}

void drawTokens(const FigureArguments& arguments, const std::vector<TokenMap>& maps,
                const std::vector<PictureQuery>& queries) {
  const std::vector<MarkedQuery> marked = arguments.analysis.of<TokenSettings>().asksQuery()
                                              ? withMarks(arguments, queries)
                                              : std::vector<MarkedQuery>();
  writeFigureOf(arguments, [&] { return tokensFigure(maps, marked, viewOf(arguments)); });
}

void drawMatches(const FigureArguments& arguments, const std::vector<LayerMatches>& matches) {
  const std::vector<MarkedQuery> marked = arguments.analysis.of<TokenSettings>().asksQuery()
                                              ? withMarks(arguments, matches.front().queries)
                                              : std::vector<MarkedQuery>();
  writeFigureOf(arguments, [&] {
    return matchesFigure(matches, arguments.analysis.of<TokenSettings>().lines, marked);
  });
}

void drawMatrices(const FigureArguments& arguments, const std::vector<LayerMatrices>& matrices,
                  const MatrixSettings& settings, const std::vector<PictureQuery>& queries,
                  const std::shared_ptr<const Picture>& picture) {
  // Without queries no row is marked, and marks are passed over.
  const std::vector<MarkedQuery> marked =
      queries.empty() ? std::vector<MarkedQuery>() : withMarks(arguments, queries);
  writeFigureOf(arguments, [&] {
    return matrixFigure(matrices, {settings, viewOf(arguments), marked, picture});
  });
}

void drawBottlenecks(const FigureArguments& arguments,
                     const std::vector<HeadBottleneck>& bottlenecks,
                     const std::shared_ptr<const Picture>& picture) {
  writeFigureOf(arguments, [&] {
    return bottleneckFigure(bottlenecks, arguments.analysis.of<BottleneckSettings>().landmark,
                            picture, viewOf(arguments));
  });
}

void drawApproximations(const FigureArguments& arguments,
                        const std::vector<HeadApproximation>& approximations,
                        const std::vector<PictureQuery>& queries,
                        const std::shared_ptr<const Picture>& picture) {
  const std::vector<MarkedQuery> marked = withMarks(arguments, queries);
  writeFigureOf(arguments, [&] {
    return approximationFigure(approximations, marked, picture, viewOf(arguments));
  });
}

void drawLandmarkErrors(const FigureArguments& arguments,
                        const std::vector<LandmarkError>& errors) {
  writeFigureOf(arguments, [&] { return landmarkFigure(errors, arguments.rerunsLandmarks); });
}

void drawNorms(const FigureArguments& arguments, const std::vector<LayerNorms>& results) {
  writeFigureOf(arguments,
                [&] { return normsFigure(results, arguments.analysis.of<NormsSettings>()); });
}

void drawShares(const FigureArguments& arguments, const std::vector<MeasuredShare>& measured) {
  writeFigureOf(arguments, [&] {
    noteShareObstacles(measured, arguments.analysis.of<ShareSettings>().of);
    return shareFigure(measured, arguments.analysis.of<ShareSettings>());
  });
}

void drawDeletions(const FigureArguments& arguments,
                   const std::vector<PictureDeletion>& deletions) {
  writeFigureOf(arguments, [&] { return deletionFigure(deletions); });
}

void drawSanity(const FigureArguments& arguments, const std::vector<ModelSanity>& measured) {
  writeFigureOf(arguments, [&] { return sanityFigure(measured); });
}

void drawCka(const FigureArguments& arguments, const ModelCka& cka) {
  writeFigureOf(arguments, [&] { return ckaFigure(cka, arguments.analysis.of<CkaSettings>()); });
}

void drawCosts(const FigureArguments& arguments, const CostMeasurements& measured) {
  writeFigureOf(arguments, [&] { return costFigure(measured); });
}

void drawSurvey(const FigureArguments& arguments, const SurveyAnswer& answer, SurveyShow show) {
  writeFigureOf(arguments, [&] { return surveyFigure(answer, show); });
}

template <typename A>
void drawPlotted(const FigureArguments& arguments, const typename A::Results& results) {
  writeFigureOf(arguments, [&] {
    return plottedFigure<A>(results, arguments.analysis.of<typename A::Settings>());
  });
}

/// Commands see the declaration of drawPlotted() alone, as this file is left out of builds without
/// Qt. The table makes the compiler emit it for every analysis drawn as plots.
template <typename List>
struct PlottedDrawings;
template <typename... Each>
struct PlottedDrawings<AnalysisList<Each...>> {
  using Function = void (*)();
  static const Function all[];

  template <typename A>
  static Function drawingOf() {
    if constexpr (PlottedAnalysis<A>) return reinterpret_cast<Function>(&drawPlotted<A>);
    return nullptr;
  }
};
template <typename... Each>
const typename PlottedDrawings<AnalysisList<Each...>>::Function
    PlottedDrawings<AnalysisList<Each...>>::all[] = {drawingOf<Each>()...};
template struct PlottedDrawings<Analyses>;

}  // namespace softscope
