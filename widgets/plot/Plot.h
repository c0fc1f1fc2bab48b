#pragma once

#include <QtCore/QString>
#include <QtGui/QColor>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// One axis of a plot: its label, its scale and its range.
struct PlotAxis {
  /// The label with its unit, e.g. `time (ms)`.
  QString label;
  bool logarithmic = false;
  /// A range that was chosen; without one, the axis covers all values with a small margin.
  std::optional<std::pair<double, double>> range;
  /// Names that replace the numbers: the k-th stands at position k, and an empty one gets no tick.
  /// Empty for a numeric axis.
  std::vector<QString> names;
  /// True if the axis counts things, so that it has ticks at whole numbers only.
  bool counts = false;

  bool operator==(const PlotAxis&) const = default;
};

/// A head of a layer, or all of them, which a point of a plot stands for and a click on it shows.
struct PlotPlace {
  /// The model's name, as the plot's caption gives it.
  std::string model;
  std::string layer;
  std::optional<int> head = 0;

  bool operator==(const PlotPlace&) const = default;
};

/// A group of labelled curves, such as those of one model, and the colour that stands for it.
struct PlotKin {
  QString name;
  QColor color;

  bool operator==(const PlotKin&) const = default;
};

/// A curve: a line through points, points alone, or bars. Points that are not finite, or not
/// positive on a logarithmic axis, are left out and interrupt the line.
struct PlotCurve {
  enum class Line { Solid, Dashed, Dotted, None, Bars };
  enum class Marker { Disc, Cross };

  /// The full name, shown when the pointer is on the curve, e.g. `block1.0, head 3`.
  QString name;
  /// The legend entry of the curve, which several curves may share; empty for none.
  QString group;
  /// Written beside the curve's right end in place of the legend entry, if the plot has room for
  /// all of its labels; empty for none.
  QString label;
  /// The legend entry that remains beside labels; without a name, none does.
  PlotKin kin;
  QColor color;
  Line line = Line::Solid;
  bool points = false;
  Marker marker = Marker::Disc;
  std::vector<double> x;
  std::vector<double> y;
  /// Half the length of an error bar at each point, such as a standard error; empty for none.
  std::vector<double> reach;
  /// Width of bars on a numeric axis; 0 if the bars share the space of an axis name.
  double barWidth = 0;
  /// The head that each point stands for, or one for the whole curve; empty for none.
  std::vector<PlotPlace> places;

  /// True if both curves look the same; NaN values count as equal.
  bool operator==(const PlotCurve& other) const;
};

/// Returns the head that a point of the curve stands for; null for none.
const PlotPlace* placeOf(const PlotCurve& curve, std::size_t index);

/// A box plot of values: a box from the first to the third quartile with a line at the median, and
/// whiskers.
struct PlotBox {
  /// The full name and the legend entry, as in PlotCurve.
  QString name;
  QString group;
  QColor color;
  /// Horizontal centre and width, in the axis's units.
  double x = 0;
  double width = 0.6;
  double low = 0;
  double quartile1 = 0;
  double median = 0;
  double quartile3 = 0;
  double high = 0;

  bool operator==(const PlotBox&) const = default;
};

/// A line across the whole plot at a value of special meaning.
struct PlotLevel {
  Qt::Orientation orientation = Qt::Horizontal;
  double value = 0;
  QString label;

  bool operator==(const PlotLevel&) const = default;
};

/// A pale area between two lines, drawn behind all curves. All of its values are finite.
struct PlotBand {
  QColor color;
  std::vector<double> x;
  std::vector<double> low;
  std::vector<double> high;

  bool operator==(const PlotBand&) const = default;
};

/// The content of a plot, independent of how and where it is drawn.
struct Plot {
  QString title;
  /// A note right of the title, less prominent.
  QString note;
  PlotAxis x;
  PlotAxis y;
  /// Box plots, drawn behind the curves.
  std::vector<PlotBox> boxes;
  std::vector<PlotCurve> curves;
  std::vector<PlotBand> bands;
  std::vector<PlotLevel> levels;
  /// Width over height in a figure.
  double aspect = 1.5;

  bool operator==(const Plot&) const = default;
};

/// An entry of a legend.
struct LegendEntry {
  QString name;
  /// Invalid, meaning the text's colour, if the group's curves have several colours.
  QColor color;
  PlotCurve::Line line = PlotCurve::Line::Solid;
  bool points = false;
  PlotCurve::Marker marker = PlotCurve::Marker::Disc;
};

/// Returns the groups of all boxes and curves, each once, in order of appearance.
std::vector<LegendEntry> legendOf(const std::vector<Plot>& plots);

/// Returns the entries that remain where the curves' labels are written beside them: groups of
/// boxes, groups none of whose curves in a plot has a label, and what labelled curves have in
/// common.
std::vector<LegendEntry> legendBesideLabels(const std::vector<Plot>& plots);

/// Returns `count` colours that can be told apart on light and dark backgrounds: distinct hues for
/// up to eight, otherwise steps of one scale from dark to light.
std::vector<QColor> curveColors(int count);

}  // namespace softscope
