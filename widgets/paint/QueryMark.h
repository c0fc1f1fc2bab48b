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

/// A query as it is told from others: by colour and letter.
struct MarkedQuery {
  PictureQuery query;
  QColor color = Qt::white;
  /// Empty where there is only one.
  QString letter;

  bool operator==(const MarkedQuery&) const = default;
};

/// A query's cross on a panel.
struct QueryMark {
  /// In fractions of the part of the picture that the network saw.
  QPointF place;
  QColor color = Qt::white;
  QString letter;
  /// The patch that is asked, in the same fractions; null where none is known.
  QRectF patch = {};
};

/// The mark of a query on `grid`: in the middle of the patch it means, which it names.
QueryMark patchMark(const TokenGrid& grid, const PictureExtent& extent, const MarkedQuery& query);

/// The letter and colour of the query at `index` (from 0) of several: A, B, ..., Z, AA, ... in
/// colours that stay apart for the colour-blind and on pictures.
QString queryLetter(int index);
QColor queryColor(int index);

/// Marks for queries that have none yet: white and without a letter for a single one, otherwise by
/// their order.
std::vector<MarkedQuery> markedQueries(const std::vector<PictureQuery>& queries);

/// The places of marked queries, in their order.
std::vector<PictureQuery> placesOf(const std::vector<MarkedQuery>& queries);

/// A cross that can be seen on every picture, `size` wide, cut at the edges of `bounds` (by its
/// geometry: Qt writes no clipping into SVG).
void paintQueryMark(QPainter& painter, const QPointF& centre, double size, const QRectF& bounds,
                    double hairline, const QColor& color = Qt::white);

/// The query's letter in a disc of its colour, `size` wide.
void paintQueryLetter(QPainter& painter, const QPointF& centre, double size, const QColor& color,
                      const QString& letter, const FigureStyle& style);

}  // namespace softscope
