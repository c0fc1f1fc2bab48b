#pragma once

#include <QtCore/QString>
#include <QtGui/QColor>

#include <optional>
#include <utility>
#include <vector>

namespace softscope {

/// One axis of a plot, from what it shows to where it ends.
struct PlotAxis {
  /// With its unit: `time (ms)`.
  QString label;
  bool logarithmic = false;
  /// Ends that were chosen; otherwise all values are shown with a little air.
  std::optional<std::pair<double, double>> range;
  /// Names instead of numbers: the k-th stands at k, unless it is empty.
  std::vector<QString> names;
  /// It numbers things, so that there is nothing between 7 and 8.
  bool counts = false;

  bool operator==(const PlotAxis&) const = default;
};

/// A line through points, points alone, or bars. Points that are not finite, and on a logarithmic
/// axis those that are not positive, are left out and interrupt the line.
struct PlotCurve {
  enum class Line { Solid, Dashed, Dotted, None, Bars };
  enum class Marker { Disc, Cross };

  /// What it is, in full: `block1.0, head 3`. Read where the pointer is.
  QString name;
  /// Curves of one legend entry share it; empty for none.
  QString group;
  QColor color;
  Line line = Line::Solid;
  bool points = false;
  Marker marker = Marker::Disc;
  std::vector<double> x;
  std::vector<double> y;
  /// How far a line reaches up and down from each point, such as a standard error; empty for none.
  std::vector<double> reach;
  /// Of bars that stand on numbers; 0 where they share the room of a name.
  double barWidth = 0;

  /// Whether it looks the same: a gap is equal to a gap.
  bool operator==(const PlotCurve& other) const;
};

/// What values are like: a box from the first to the third quartile with the median in it, and
/// whiskers.
struct PlotBox {
  /// As of a curve.
  QString name;
  QString group;
  QColor color;
  /// Its middle and its width, in the axis' own numbers.
  double x = 0;
  double width = 0.6;
  double low = 0;
  double quartile1 = 0;
  double median = 0;
  double quartile3 = 0;
  double high = 0;

  bool operator==(const PlotBox&) const = default;
};

/// A value that means something by itself, as a line across the plot.
struct PlotLevel {
  Qt::Orientation orientation = Qt::Horizontal;
  double value = 0;
  QString label;

  bool operator==(const PlotLevel&) const = default;
};

/// The area between two lines, pale, behind all curves. Both ends are finite.
struct PlotBand {
  QColor color;
  std::vector<double> x;
  std::vector<double> low;
  std::vector<double> high;

  bool operator==(const PlotBand&) const = default;
};

/// What a plot shows, however and wherever it is drawn.
struct Plot {
  QString title;
  /// Right of the title, muted.
  QString note;
  PlotAxis x;
  PlotAxis y;
  /// Behind the curves.
  std::vector<PlotBox> boxes;
  std::vector<PlotCurve> curves;
  std::vector<PlotBand> bands;
  std::vector<PlotLevel> levels;
  /// Width over height on paper.
  double aspect = 1.5;

  bool operator==(const Plot&) const = default;
};

/// An entry of a legend.
struct LegendEntry {
  QString name;
  /// Invalid, for the text's, where the curves of a group have several.
  QColor color;
  PlotCurve::Line line = PlotCurve::Line::Solid;
  bool points = false;
  PlotCurve::Marker marker = PlotCurve::Marker::Disc;
};

/// The groups of all boxes and curves, each once, in the order they appear.
std::vector<LegendEntry> legendOf(const std::vector<Plot>& plots);

/// `count` colours that can be told apart on a light and on a dark ground: distinct ones up to
/// eight, more as steps of one scale from dark to light.
std::vector<QColor> curveColors(int count);

}  // namespace softscope
