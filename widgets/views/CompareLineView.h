#pragma once

#include "widgets/figure/CompareFigure.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QToolButton;

namespace softscope {

class ColorBarView;
class ElidedLabel;
class HeadPanelView;

/// What the left of a line says, and offers for a model's line.
struct CompareLineHeader {
  QString name;
  QString about;
  QString prediction;
  /// Layers to choose from, and the chosen one; none for a difference.
  QStringList layers;
  QString layer;
  /// It is the model that panels around show.
  bool current = false;
  /// In place of panels, where there are none.
  QString message;
};

/// One line of a comparison on the screen: what it is on the left, the picture and the heads beside
/// it.
class CompareLineView : public QWidget {
  Q_OBJECT

 public:
  explicit CompareLineView(QWidget* parent = nullptr);

  void setHeader(const CompareLineHeader& header);
  /// `line` is null where there is only a message.
  void setLine(const ComparedLine* line, std::shared_ptr<const CroppedPicture> picture);
  int panelCount() const { return static_cast<int>(views_.size()); }
  const HeadPanelView& view(int index) const { return *views_[std::size_t(index)]; }
  HeadPanelView& view(int index) { return *views_[std::size_t(index)]; }

  /// Lays panels of one width out beside the header, or below it where there is little room, and
  /// over several lines where they need them; returns the height that takes.
  int arrange(int width, int panelWidth);
  /// The width there is for panels in a line of that width.
  static int panelRoom(int width);

  /// A line of one panel as a cell of a table, whose columns are models: the header, if it has one,
  /// above the panel, and the picture, if it is shown, left of it. Returns the size that takes.
  struct Cell {
    int panelWidth = 0;
    /// 0 for a cell without a header.
    int headerHeight = 0;
    bool showsPicture = false;
  };
  QSize arrangeCell(const Cell& cell);
  /// How high the header is above a panel of that width.
  int cellHeaderHeight(int panelWidth);

 Q_SIGNALS:
  void chosen();
  void closed();
  void layerChosen(const QString& layer);
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  void pinned(const QPointF& place);
  void zoomed(double factor, const QPointF& about);
  void panned(const QPointF& by);
  /// The panel (0 is the picture), and the patch in it.
  void hovered(int panel, int row, int column);
  void left();
  void menuWanted(int panel, const QPoint& globalPlace, const QPointF& place);
  /// On the header, of a model's line.
  void headerMenuWanted(const QPoint& globalPlace);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void makeViews(std::size_t count);
  int arrangeHeader(int width);
  int placeHeader(int left, int right);
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
  /// It is a cell of a table.
  bool isCell_ = false;
};

}  // namespace softscope
