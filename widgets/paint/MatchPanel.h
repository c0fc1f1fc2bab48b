#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/paint/QueryMark.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QColor>

#include <memory>
#include <vector>

class QPainter;

namespace softscope {

/// A line from a place on one picture to a place on another.
struct MatchLine {
  /// Fractions of what the network saw of each.
  QPointF from;
  QPointF to;
  QColor color;
};

/// Two pictures side by side, and lines between patches that match.
struct MatchPanel {
  QString title;
  /// Printed less prominently beside the title.
  QString note;
  /// Null, or null pictures, for inputs without a picture, which are drawn as frames.
  std::shared_ptr<const CroppedPicture> left;
  std::shared_ptr<const CroppedPicture> right;
  /// Drawn in order, so that the last lie on top.
  std::vector<MatchLine> lines;
  /// Marks of queries on the left picture.
  std::vector<QueryMark> queries;
};

/// Returns the colour of the line of a place on the left picture: its hue goes by the place from
/// left to right, its lightness from top to bottom, so that lines of neighbours have like colours.
QColor matchColor(const QPointF& from);

/// Returns width over height of both pictures at one height, with the gap between them.
double matchAspect(const MatchPanel& panel);

/// Returns the rectangle of the left picture in `place`, which has the panel's aspect.
QRectF leftPicture(const MatchPanel& panel, const QRectF& place);

/// Draws both pictures and the lines between them.
void paintMatches(QPainter& painter, const QRectF& place, const MatchPanel& panel,
                  const FigureStyle& style);

}  // namespace softscope
