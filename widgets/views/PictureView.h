#pragma once

#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/PictureMark.h"

#include <QtGui/QImage>
#include <QtGui/QPixmap>
#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace softscope {

/// The original picture: what the network did not see is shaded and takes no click, the query is a
/// cross in the middle of its patch, the patch under the pointer is outlined.
class PictureView : public QWidget {
  Q_OBJECT

 public:
  explicit PictureView(QWidget* parent = nullptr);

  /// A null image shows nothing.
  void setPicture(const QImage& picture);
  /// The part that the network saw, and the patches a query is chosen on, if they are known.
  void setGrid(const PictureExtent& extent, const std::optional<TokenGrid>& grid);
  /// `marked` is false for a query that is no place, such as the class token.
  void setQuery(const PictureQuery& query, bool marked);
  /// Queries that stay, with their letters.
  void setPins(std::vector<MarkedQuery> pins);
  /// What a page points at.
  void setPointed(const std::vector<PictureMark>& marks);
  /// The part of what the network saw that panels show, in fractions of it; outlined unless it is
  /// all.
  void setVisiblePart(const QRectF& visible);

  /// Where the picture lies in this widget.
  QRectF pictureRect() const;
  /// The place in this widget of a point given in fractions of the picture, and back.
  QPointF placeOf(const PictureQuery& query) const;
  PictureQuery queryAtPlace(const QPointF& place) const;
  const std::vector<PictureMark>& pointed() const { return pointed_; }

  QSize sizeHint() const override { return {320, 300}; }
  QSize minimumSizeHint() const override { return {140, 120}; }

 Q_SIGNALS:
  /// A button went down on the picture, and what followed until it came up.
  void pressed(const softscope::PictureQuery& query);
  void dragged(const softscope::PictureQuery& query);
  /// A button went down on a part that the network does not see, which nobody can be asked about.
  void missed();
  /// A menu, at that place of the picture, if it is one.
  void menuWanted(const QPoint& globalPlace, const std::optional<softscope::PictureQuery>& place);
  /// Shift and a click on the picture.
  void pinned(const softscope::PictureQuery& query);
  void zoomed(double factor, const QPointF& about);
  /// An arrow key: by how many patches.
  void stepped(int rows, int columns);
  void hovered(const softscope::Patch& patch);
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  const QPixmap& scaledPicture(QSize pixels);
  /// Where a query is marked: in the middle of the patch it means, if the patches are known.
  QPointF markedPlace(const PictureQuery& query) const;
  QRectF seenRect() const;
  QRectF patchRect(const Patch& patch) const;
  void paintShade(QPainter& painter) const;
  void paintPins(QPainter& painter) const;
  void paintPointed(QPainter& painter) const;
  void paintVisiblePart(QPainter& painter) const;
  void paintPatch(QPainter& painter, const Patch& patch, const QColor& color) const;
  void hover(const QPointF& place);

  QImage picture_;
  QPixmap scaled_;
  PictureExtent extent_;
  std::optional<TokenGrid> grid_;
  PictureQuery query_;
  bool marked_ = true;
  std::vector<MarkedQuery> pins_;
  std::vector<PictureMark> pointed_;
  QRectF visible_{0, 0, 1, 1};
  /// Where the pointer rests in this widget, and the patch under it.
  std::optional<QPointF> pointer_;
  /// Where the button went down on the picture, nothing beside it; a drag begins some pixels away.
  std::optional<QPointF> pressedAt_;
  bool dragging_ = false;
  std::optional<Patch> hovered_;
};

}  // namespace softscope
