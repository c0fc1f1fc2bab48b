#pragma once

#include "core/inspect/Inspection.h"
#include "core/model/ModelSummary.h"

#include <QtWidgets/QTreeWidget>

#include <string>
#include <vector>

namespace softscope {

/// Lists the attention layers of a model by stage, in the order in which they run, with mechanism,
/// heads and token grid. Before an inspection the grids are not known and are left out. If space is
/// narrow, a stage's mechanism is shown only beside the stage's name or, without stages, in the
/// tips of layers with long names; where names would be shortened even so, the tokens and then the
/// heads are left out.
class LayerTree : public QTreeWidget {
  Q_OBJECT

 public:
  explicit LayerTree(QWidget* parent = nullptr);

  /// Shows the layers; `inspection` may be null.
  void setLayers(const ModelSummary& summary, const Inspection* inspection);
  void clearLayers();
  void setCurrentLayer(const std::string& name);

  QSize sizeHint() const override { return {260, 200}; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  /// Keeps the chosen layer selected when the user clicks a stage's title or an empty area.
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                       const QEvent* event) const override;

 Q_SIGNALS:
  void layerChosen(const std::string& name);

 private:
  QTreeWidgetItem* stageItem(const ModelSummary& summary, int stage);
  /// Returns the width that each name needs with its indentation, in pixels.
  std::vector<int> nameWidths();
  /// Returns true if the longest names are whole only without the mechanisms, of which `room`
  /// pixels would not show the whole titles either.
  bool namesNeedMechanisms(int room);
  /// Returns the width that names need with their indentation, in pixels: that of the longest or,
  /// without stages, that in which three quarters of them are whole.
  int roomForNames();
  /// Returns the title of the mechanisms' column. titleWidth() and neededWidth() return the widths,
  /// in pixels, of a title and of a column with all its texts.
  static QString mechanismTitle();
  int titleWidth(const QString& title) const;
  int neededWidth(int column) const;
  /// Returns the width that a column of numbers takes while it is shown.
  int takenWidth(int column) const;
  void makeRoomForNames();
  int lineHeight() const;
  QFont stageFont() const;

  bool staged_ = false;
};

}  // namespace softscope
