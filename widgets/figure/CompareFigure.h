#pragma once

#include "core/array/Npz.h"
#include "core/image/PreparedPicture.h"
#include "core/inspect/Inspection.h"
#include "core/model/ModelSummary.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/ShownHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>

#include <memory>
#include <string>
#include <vector>

class QPainter;

namespace softscope {

/// One layer of one model in a comparison.
struct CompareRow {
  std::string modelName;
  /// Follows the mechanism, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  /// `tabby 87 %`; empty for a backbone.
  std::string prediction;
  /// The part of the picture that this model saw.
  PictureRegion region;
  LayerInspection layer;
};

/// The row of a model that looked at a picture, as the window and the command line name it.
CompareRow compareRow(const ModelSummary& summary, const Inspection& inspection,
                      const LayerInspection& layer, const PictureRegion& region);

/// Row `first` minus row `second`.
struct RowDifference {
  int first = 0;
  int second = 1;
  /// Divides each map by its largest magnitude before, for mechanisms whose values differ by orders
  /// of magnitude.
  bool normalised = false;

  bool operator==(const RowDifference&) const = default;
};

/// Several models, or one under several mechanisms, on one picture: a row of heads for each, for
/// each query. Where every row has one panel, a line for each query with the models beside each
/// other, as SOFT's Figure 3.
struct CompareFigure {
  /// May be null, for an input that was not a picture.
  std::shared_ptr<const Picture> picture;
  std::vector<CompareRow> rows;
  std::vector<MarkedQuery> queries;
  ShownHeads shown;
  Direction direction = Direction::Rows;
  ViewSettings view;
  /// One colour scale for all rows and queries (differences have their own).
  bool linkedScales = false;
  /// Rows below the models'.
  std::vector<RowDifference> differences;
  FigureSettings settings;
};

/// One line of a comparison: a model, or a difference of two, asked one query.
struct ComparedLine {
  /// Index into CompareFigure::queries.
  int query = 0;
  /// Index into CompareFigure::rows, or, where `isDifference`, ::differences.
  int row = 0;
  bool isDifference = false;
  /// The model; the two models of a difference.
  QString name;
  /// The layer; how a difference was made.
  QString layer;
  QString prediction;
  /// `soft (not what was trained) · 2 heads · 40 × 40 patches · 49 landmarks`
  QString about;
  /// `what patch (12, 7) attends to`
  QString question;
  /// `patch (12, 7)`, of this row's grid.
  QString token;
  /// What its arrays' names begin with.
  std::string arrayName;
  PictureRegion region;
  /// Width over height of its panels.
  double aspect = 1;
  /// The picture with the query on it (a HeadPanel without values), then the heads.
  HeadPanel picturePanel;
  std::vector<HeadPanel> panels;
  /// One colour bar serves all of `panels`; theirs are off.
  bool sharedBar = false;
};

/// What a comparison shows, line by line, query by query: the screen draws these panels, and so
/// does the figure. A difference that cannot be made is a line without panels; its `about` says
/// why. Throws InspectionError for a head, a row or a colour map that is not there.
std::vector<ComparedLine> comparedLines(const CompareFigure& figure);

/// Width and height in millimetres. Throws as comparedLines(), as do the others.
QSizeF compareFigureSize(const CompareFigure& figure);

/// Fills `place` of any painter. Needs a QGuiApplication, for its letters.
void paintCompareFigure(QPainter& painter, const QRectF& place, const CompareFigure& figure);

/// The numbers behind the figure, named as headsFigureArrays() does with `MODEL.` before; MODEL is
/// the file's stem, numbered where it repeats, and `A_minus_B` for a difference.
NamedArrays compareFigureArrays(const CompareFigure& figure);

}  // namespace softscope
