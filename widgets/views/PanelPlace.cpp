#include "widgets/views/PanelPlace.h"

#include "widgets/paint/ValueText.h"

#include <QtCore/QCoreApplication>

namespace softscope {

PictureQuery queryInRegion(const PictureExtent& extent, const QPointF& place) {
  const PictureRegion& region = extent.region;
  return {.x = (region.x + place.x() * region.width) / extent.width,
          .y = (region.y + place.y() * region.height) / extent.height};
}

QString valueAtText(const AttentionValues& values, Direction direction, int row, int column) {
  const QString kind = direction == Direction::Rows
                           ? QCoreApplication::translate("softscope", "key")
                           : QCoreApplication::translate("softscope", "query");
  if (!values.onPicture && values.grid.height > 1) {
    return QCoreApplication::translate("softscope", "query %1, key %2: %3")
        .arg(row)
        .arg(column)
        .arg(valueText(values.at(row, column)));
  }
  if (values.places) {
    const int cell = row * values.grid.width + column;
    const int token = values.places->nearest[static_cast<std::size_t>(cell)];
    return QCoreApplication::translate("softscope", "%1 token %2: %3")
        .arg(kind, QString::number(token), valueText(values.at(row, column)));
  }
  const QString place =
      values.onPicture ? QStringLiteral("(%1, %2)").arg(row).arg(column) : QString::number(column);
  if (values.isOutside(row, column)) {
    return QCoreApplication::translate("softscope", "%1 %2: outside of the window")
        .arg(kind, place);
  }
  return QStringLiteral("%1 %2: %3").arg(kind, place, valueText(values.at(row, column)));
}

}  // namespace softscope
