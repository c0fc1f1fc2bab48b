#pragma once

#include "widgets/figure/CompareFigure.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QToolButton;

namespace softscope {

class ColorBarView;
class ElidedLabel;
class HeadPanelView;

/// The content of the header left of a line; a model's line also offers its layers to choose from,
/// and a line that can be closed has a menu.
struct CompareLineHeader {
  QString name;
  /// The names in the headers of the lines above and below.
  QStringList namesAbove;
  QStringList namesBelow;
  /// The colour of the model's chip and curves; invalid for a difference.
  QColor color;
  QString about;
  QString prediction;
  /// The layers to choose from, and (in `layer`) the chosen one; empty for a difference.
  QStringList layers;
  QString layer;
  /// Accessible name of the button that closes the line; empty if the line cannot be closed.
  QString closes;
  /// True if the line belongs to the current model, which the other panels show.
  bool current = false;
  /// The text in place of the panels on a line that has no panels.
  QString message;
};

/// One line of a comparison on the screen: a header, the picture and the heads.
class CompareLineView : public QWidget {
  Q_OBJECT

 public:
  explicit CompareLineView(QWidget* parent = nullptr);

  void setHeader(const CompareLineHeader& header);
  /// Sets what the line shows; `line` is null if there is only a message.
  void setLine(const ComparedLine* line, std::shared_ptr<const CroppedPicture> picture);
  int panelCount() const { return static_cast<int>(views_.size()); }
  const HeadPanelView& view(int index) const { return *views_[std::size_t(index)]; }
  HeadPanelView& view(int index) { return *views_[std::size_t(index)]; }

  /// The place of the header: left of the panels, or above them, where they have the whole width.
  enum class HeaderPlace { Left, Above };
  /// Returns the places that a line of width `width` has room for.
  static std::vector<HeaderPlace> headerPlaces(int width);
  /// Returns the width available for panels in a line of width `width`.
  static int panelRoom(int width, HeaderPlace header);
  /// Places the header and panels of equal width, which stand in as many rows as needed.
  void arrange(int width, int panelWidth, HeaderPlace header);
  /// Returns the height that arrange() takes.
  int arrangedHeight(int width, int panelWidth, HeaderPlace header) const;

  /// The layout of a line with one panel as a cell of a table whose columns are models: the header,
  /// if any, stands above the panel and the picture, if shown, left of it. arrangeCell() returns
  /// the size that this takes.
  struct Cell {
    int panelWidth = 0;
    /// Height of the header; 0 for a cell without one.
    int headerHeight = 0;
    bool showsPicture = false;
  };
  QSize arrangeCell(const Cell& cell);
  /// Returns the height of the header above a panel of a cell.
  int cellHeaderHeight() const { return headerHeight(); }

 Q_SIGNALS:
  void chosen();
  void closed();
  void layerChosen(const QString& layer);
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  void pinned(const QPointF& place);
  void zoomed(double factor, const QPointF& about);
  void panned(const QPointF& by);
  /// The pointer is on a patch of a panel; panel 0 is the picture.
  void hovered(int panel, int row, int column);
  void left();
  void menuWanted(int panel, const QPoint& globalPlace, const QPointF& place);
  /// The user asked for a menu on the header of a line that can be closed.
  void headerMenuWanted(const QPoint& globalPlace);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void makeViews(std::size_t count);
  /// Returns the parts of the header that are shown, but for the button that closes the line.
  std::vector<QWidget*> headerParts() const;
  /// The parts of a header below one another, and the height that they take.
  void placeHeader(int left, int right);
  int headerHeight() const;
  /// The parts of a header in two rows, the name and what belongs to it, and the height of both.
  void placeNarrowHeader(int left, int right);
  int narrowHeaderHeight() const;
  /// The parts of a header in one row, and the height that they take.
  void placeHeaderInRow(int left, int right);
  int headerRowHeight() const;
  /// Where arrange() puts what a line consists of, in pixels.
  struct Places {
    int headerBottom = 0;
    int panelLeft = 0;
    int panelTop = 0;
    int panelHeight = 0;
    int columns = 1;
    int barTop = 0;
    int bottom = 0;
  };
  Places placesOf(int width, int panelWidth, HeaderPlace header) const;
  void showHeader(bool shown);

  ElidedLabel* name_;
  ElidedLabel* about_;
  ElidedLabel* prediction_;
  QComboBox* layer_;
  QToolButton* close_;
  ElidedLabel* message_;
  ColorBarView* sharedBar_;
  std::vector<HeadPanelView*> views_;
  std::shared_ptr<const CroppedPicture> picture_;
  CompareLineHeader header_;
  bool ownBars_ = true;
  /// True if the line is laid out as a cell of a table.
  bool isCell_ = false;
};

}  // namespace softscope
