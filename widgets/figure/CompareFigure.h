#pragma once

#include "core/image/Picture.h"
#include "core/model/ModelSummary.h"
#include "core/query/ComparedAnswers.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Makes the row of a model that has seen a picture, with its prediction, named as in the window
/// and on the command line.
CompareRow compareRow(const ModelSummary& summary, const Inspection& inspection,
                      const LayerInspection& layer, const PictureRegion& region);

/// The content of a comparison: several models, or one model under several mechanisms, on one
/// picture, with a row of heads for each model and query. If every row has one panel, the figure
/// has a line for each query with the models side by side, as in SOFT's Figure 3.
struct CompareSubject {
  /// The picture; null for an input that was not a picture.
  std::shared_ptr<const Picture> picture;
  std::vector<CompareRow> rows;
  std::vector<MarkedQuery> queries;
  ShownHeads shown;
  Direction direction = Direction::Rows;
  /// The map to show; rows whose layer does not have it show their attention.
  ShownMap map = ShownMap::Attention;
  ViewSettings view;
  /// Uses one colour scale for all rows and queries; differences have their own.
  bool linkedScales = false;
  /// Differences between rows, shown below the models' rows.
  std::vector<RowDifference> differences;
};

/// One line of a comparison: the answer of a model, or the difference of two, to one query.
struct ComparedLine {
  /// Index into CompareSubject::queries.
  int query = 0;
  /// Index into CompareSubject::rows or, if `isDifference`, into CompareSubject::differences.
  int row = 0;
  bool isDifference = false;
  /// The model's name; for a difference, the names of both models.
  QString name;
  /// The layer; for a difference, how it was made.
  QString layer;
  QString prediction;
  /// Description of the layer: `soft (not what was trained) · 2 heads · 40 × 40 patches · 49
  /// landmarks`
  QString about;
  /// `input 96 × 128` if the models were fed different sizes; otherwise empty.
  QString input;
  /// Caveats that the panels' colours do not show, each after a separator (caveatsText()).
  QString caveats;
  /// The question that the panels answer: `what patch (12, 7) attends to`
  QString question;
  /// The token asked about, on this row's grid: `patch (12, 7)`
  QString token;
  PictureRegion region;
  /// Width over height of the line's panels.
  double aspect = 1;
  /// The picture with the query on it (a HeadPanel without values); the heads follow in `panels`.
  HeadPanel picturePanel;
  std::vector<HeadPanel> panels;
  /// One colour bar serves all of `panels`, which then have none of their own.
  bool sharedBar = false;
};

/// Returns what every row answers, for the numbers behind the figure.
std::vector<ComparedAnswer> answersOf(const CompareSubject& subject);

/// Returns the lines of a comparison, query by query; the window and the figure draw the same
/// panels. A difference that cannot be made is a line without panels whose `about` says why. Throws
/// InspectionError for a head, a row or a colour map that does not exist.
std::vector<ComparedLine> comparedLines(const CompareSubject& figure);

/// Lays the lines out as panels; how they are arranged depends on the space that `settings` leave.
/// Throws like comparedLines().
PanelFigure compareFigure(const CompareSubject& subject, const FigureSettings& settings);

/// Shows the same models on several pictures, one below the other. If the models are in columns,
/// predictions stand above each panel instead of above the column. Scales must not be linked.
PanelFigure compareFigure(const std::vector<CompareSubject>& subjects,
                          const FigureSettings& settings);

}  // namespace softscope
