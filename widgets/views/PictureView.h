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

/// Shows the original picture. What the network did not see is shaded and cannot be clicked; the
/// query is a cross in the middle of its patch; the patch under the pointer is outlined.
class PictureView : public QWidget {
  Q_OBJECT

 public:
  explicit PictureView(QWidget* parent = nullptr);

  /// Sets the picture; a null image shows nothing.
  void setPicture(const QImage& picture);
  /// Sets whether a picture is being read, which the empty view then says.
  void setReading(bool reading);
  /// Sets the part that the network saw and, if known, the grid of patches on which a query is
  /// chosen.
  void setGrid(const PictureExtent& extent, const std::optional<TokenGrid>& grid);
  /// Sets the query; `marked` is false if it is not a place, such as the class token.
  void setQuery(const PictureQuery& query, bool marked);
  /// Sets the pinned queries, with their letters.
  void setPins(std::vector<MarkedQuery> pins);
  /// Sets the marks that a page points at.
  void setPointed(const std::vector<PictureMark>& marks);
  /// Sets the part that panels show, in fractions of what the network saw; it is outlined unless it
  /// is everything.
  void setVisiblePart(const QRectF& visible);

  /// Returns the height at which a widget of this width shows the whole picture with its margins; 0
  /// without a picture.
  int heightAt(int width) const;
  /// Returns the rectangle of the picture in this widget.
  QRectF pictureRect() const;
  /// Convert between fractions of the picture and places in this widget.
  QPointF placeOf(const PictureQuery& query) const;
  PictureQuery queryAtPlace(const QPointF& place) const;
  const std::vector<PictureMark>& pointed() const { return pointed_; }

  QSize sizeHint() const override { return {320, 300}; }
  QSize minimumSizeHint() const override { return {140, 120}; }

 Q_SIGNALS:
  /// The left button was pressed on the picture (pressed()), or the pointer moved until its release
  /// (dragged()).
  void pressed(const softscope::PictureQuery& query);
  void dragged(const softscope::PictureQuery& query);
  /// A button was pressed on a part that the network does not see and that cannot be asked about.
  void missed();
  /// The user asked for a menu; `place` is the place on the picture, or empty beside it.
  void menuWanted(const QPoint& globalPlace, const std::optional<softscope::PictureQuery>& place);
  /// The user clicked the picture with Shift.
  void pinned(const softscope::PictureQuery& query);
  void zoomed(double factor, const QPointF& about);
  /// The user pressed an arrow key, to move by that many patches.
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
  /// Returns where a query is marked: in the middle of the patch that it means, if the patches are
  /// known.
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
  bool reading_ = false;
  QPixmap scaled_;
  PictureExtent extent_;
  std::optional<TokenGrid> grid_;
  PictureQuery query_;
  bool marked_ = true;
  std::vector<MarkedQuery> pins_;
  std::vector<PictureMark> pointed_;
  QRectF visible_{0, 0, 1, 1};
  /// The pointer's position in this widget, while it is there.
  std::optional<QPointF> pointer_;
  /// Where the button was pressed on the picture, or empty; a drag begins some pixels away from it.
  std::optional<QPointF> pressedAt_;
  bool dragging_ = false;
  std::optional<Patch> hovered_;
};

}  // namespace softscope
