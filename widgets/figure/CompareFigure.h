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

/// The row of a model that looked at a picture, with its prediction, as the window and the command
/// line name it.
CompareRow compareRow(const ModelSummary& summary, const Inspection& inspection,
                      const LayerInspection& layer, const PictureRegion& region);

/// Several models, or one under several mechanisms, on one picture: a row of heads for each, for
/// each query. Where every row has one panel, a line for each query with the models beside each
/// other, as SOFT's Figure 3.
struct CompareSubject {
  /// May be null, for an input that was not a picture.
  std::shared_ptr<const Picture> picture;
  std::vector<CompareRow> rows;
  std::vector<MarkedQuery> queries;
  ShownHeads shown;
  Direction direction = Direction::Rows;
  /// Rows whose layer has it not show their attention.
  ShownMap map = ShownMap::Attention;
  ViewSettings view;
  /// One colour scale for all rows and queries (differences have their own).
  bool linkedScales = false;
  /// Rows below the models'.
  std::vector<RowDifference> differences;
};

/// One line of a comparison: a model, or a difference of two, asked one query.
struct ComparedLine {
  /// Index into CompareSubject::queries.
  int query = 0;
  /// Index into CompareSubject::rows, or, where `isDifference`, ::differences.
  int row = 0;
  bool isDifference = false;
  /// The model; the two models of a difference.
  QString name;
  /// The layer; how a difference was made.
  QString layer;
  QString prediction;
  /// `soft (not what was trained) · 2 heads · 40 × 40 patches · 49 landmarks`
  QString about;
  /// `input 96 × 128`, where models were fed other sizes; else empty.
  QString input;
  /// What the panels' colours do not tell, each after a separator (caveatsText()).
  QString caveats;
  /// `what patch (12, 7) attends to`
  QString question;
  /// `patch (12, 7)`, of this row's grid.
  QString token;
  PictureRegion region;
  /// Width over height of its panels.
  double aspect = 1;
  /// The picture with the query on it (a HeadPanel without values), then the heads.
  HeadPanel picturePanel;
  std::vector<HeadPanel> panels;
  /// One colour bar serves all of `panels`; theirs are off.
  bool sharedBar = false;
};

/// What every row answers, for the numbers behind the figure.
std::vector<ComparedAnswer> answersOf(const CompareSubject& subject);

/// What a comparison shows, line by line, query by query: the screen draws these panels, and so
/// does the figure. A difference that cannot be made is a line without panels; its `about` says
/// why. Throws InspectionError for a head, a row or a colour map that is not there.
std::vector<ComparedLine> comparedLines(const CompareSubject& figure);

/// The lines as panels; how they stand beside each other follows from the room that `settings`
/// leave. Throws as comparedLines() does.
PanelFigure compareFigure(const CompareSubject& subject, const FigureSettings& settings);

/// The same models on several pictures, below each other. Where models stand in columns, a
/// prediction is above each panel instead of above its column. No scales may be linked.
PanelFigure compareFigure(const std::vector<CompareSubject>& subjects,
                          const FigureSettings& settings);

}  // namespace softscope
