#pragma once

#include "core/query/QueryToken.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QColor>

#include <vector>

class QPainter;

namespace softscope {

struct FigureStyle;

/// A query with the colour and letter that distinguish it from others.
struct MarkedQuery {
  PictureQuery query;
  QColor color = Qt::white;
  /// The query's letter; empty if there is only one query.
  QString letter;

  bool operator==(const MarkedQuery&) const = default;
};

/// A query's cross on a panel.
struct QueryMark {
  /// The place of the cross, in fractions of the part of the picture that the network saw.
  QPointF place;
  QColor color = Qt::white;
  QString letter;
  /// The patch that the query means, in the same fractions; null if none is known.
  QRectF patch = {};
};

/// Returns the mark of a query on `grid`: in the middle of the patch that it means, and with that
/// patch set.
QueryMark patchMark(const TokenGrid& grid, const PictureExtent& extent, const MarkedQuery& query);

/// Returns the letter (queryColor(): the colour) of the query at `index`, counted from 0: A, B,
/// ..., Z, AA, ... The colours can be told apart by colour-blind users and on pictures.
QString queryLetter(int index);
QColor queryColor(int index);

/// Gives queries their marks: white and without a letter for a single query, otherwise by their
/// order.
std::vector<MarkedQuery> markedQueries(const std::vector<PictureQuery>& queries);

/// Returns the places of marked queries, in their order.
std::vector<PictureQuery> placesOf(const std::vector<MarkedQuery>& queries);

/// Draws a cross of width `size` that is visible on any picture. It is cut geometrically at the
/// edges of `bounds`, because Qt writes no clipping into SVG.
void paintQueryMark(QPainter& painter, const QPointF& centre, double size, const QRectF& bounds,
                    double hairline, const QColor& color = Qt::white);

/// Draws the query's letter in a disc of its colour, `size` wide.
void paintQueryLetter(QPainter& painter, const QPointF& centre, double size, const QColor& color,
                      const QString& letter, const FigureStyle& style);

}  // namespace softscope
