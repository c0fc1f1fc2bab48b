#pragma once

#include <QtCore/QRectF>
#include <QtGui/QImage>
#include <QtWidgets/QAbstractScrollArea>

#include <optional>
#include <vector>

namespace softscope {

/// One head on a wall of heads.
struct HeadThumbnail {
  int head = 0;
  /// The head's answer, a pixel for each token.
  QImage image;
  /// Strength of its drawing, in [0, 1]: heads that add little to the residual stream are dimmed.
  double strength = 1;
  /// The place of the query in fractions of the image; empty if it is no patch.
  std::optional<QPointF> query;
  /// True if the head has been collected to be compared; it is marked then.
  bool isCollected = false;
};

/// The heads of one layer, in the order in which they are shown.
struct HeadThumbnails {
  /// The layer's name as it is shown, which differs from those of the other rows.
  QString layer;
  std::vector<HeadThumbnail> heads;
  /// True if the heads stand in another order than their own: each has its number then.
  bool isSorted = false;
};

/// A place on a wall: a head of a layer, and where on its image, in fractions of it.
struct WallPlace {
  int layer = 0;
  /// Index into HeadThumbnails::heads.
  int index = 0;
  QPointF at;
};

/// Shows every head of every layer as a small picture, a row for each layer, as large as the widget
/// allows: rows of few heads stand in several columns. A wall that would need pictures too small to
/// see is scrolled.
class HeadWallView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit HeadWallView(QWidget* parent = nullptr);

  /// `aspect` is the width over height of the pictures.
  void setRows(std::vector<HeadThumbnails> rows, double aspect);
  const std::vector<HeadThumbnails>& rows() const { return rows_; }
  /// Marks the layer that is shown elsewhere in the window; -1 for none.
  void setChosenLayer(int layer);
  /// Shows `panel`, which becomes a child, large over the middle of the wall while it is visible.
  void setEnlarged(QWidget* panel);
  /// Returns the rectangle of a thumbnail in the viewport.
  QRectF thumbnailRect(int layer, int index) const;

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {180, 180}; }

 Q_SIGNALS:
  /// The user clicked a head, or pressed Enter where the keyboard's frame is.
  void chosen(int layer, int index);
  /// The user clicked a head with Shift, or pressed Space where the keyboard's frame is.
  void collectWanted(int layer, int index);
  void hovered(const softscope::WallPlace& place);
  void left();
  /// The user pressed an arrow key without Ctrl, which moves the frame.
  void stepped(int rows, int columns);
  /// The user asked to close what is shown large.
  void closeWanted();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// The sizes of a wall's parts, which stands in one or more columns of `rows` layers each.
  struct Parts {
    double names = 0;
    QPointF corner;
    QSizeF cell;
    QSizeF pitch;
    int rows = 1;
    double columnWidth = 0;
    /// The size of all columns, without the margin around them.
    QSizeF whole;

    /// Returns the upper left corner of a layer's first thumbnail.
    QPointF rowStart(int layer) const;
  };

  /// Returns the parts where they stand in the viewport.
  Parts parts() const;
  /// Returns the parts before they are scrolled.
  Parts fittingParts() const;
  /// Returns the parts of a wall with this number of columns, with thumbnails no smaller than
  /// `least`.
  Parts partsIn(const QSizeF& room, int columns, double names, int heads, double least) const;
  void fitScrollBars();
  /// Scrolls so far that the thumbnail is seen.
  void bringInSight(int layer, int index);
  std::optional<WallPlace> placeAt(const QPointF& at) const;
  /// Returns the width of the names that stay at the left while heads are scrolled; 0 if none are.
  double pinnedNames(const Parts& parts) const;
  void paintName(QPainter& painter, const Parts& parts, int layer) const;
  void paintHeads(QPainter& painter, const Parts& parts, int layer) const;
  /// Draws the frame of the head under the pointer or the keyboard.
  void paintFrame(QPainter& painter) const;
  /// Draws the number of a head in the corner of its thumbnail.
  void paintNumber(QPainter& painter, const QRectF& cell, int head, const QColor& ground,
                   const QColor& text) const;
  void paintCollected(QPainter& painter, const QRectF& cell) const;
  bool showsEnlarged() const;
  /// Moves the frame by heads and layers; the first time it appears at the chosen layer.
  void moveFrame(int layers, int heads);

  std::vector<HeadThumbnails> rows_;
  double aspect_ = 1;
  int chosenLayer_ = -1;
  std::optional<WallPlace> under_;
  QWidget* enlarged_ = nullptr;
};

}  // namespace softscope
