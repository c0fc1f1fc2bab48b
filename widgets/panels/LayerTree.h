#pragma once

#include "core/inspect/Inspection.h"
#include "core/model/ModelSummary.h"

#include <QtWidgets/QTreeWidget>

namespace softscope {

/// The attention layers of a model by stage, in the order they run, with mechanism, heads and token
/// grid. Before an inspection the grids are not known and left out. Where there is little room a
/// stage's mechanism stands beside its name only.
class LayerTree : public QTreeWidget {
  Q_OBJECT

 public:
  explicit LayerTree(QWidget* parent = nullptr);

  /// `inspection` may be null.
  void setLayers(const ModelSummary& summary, const Inspection* inspection);
  void clearLayers();
  void setCurrentLayer(const std::string& name);

  QSize sizeHint() const override { return {260, 200}; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  /// A click on a stage's title, or beside all, leaves the chosen layer chosen.
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                       const QEvent* event) const override;

 Q_SIGNALS:
  void layerChosen(const std::string& name);

 private:
  QTreeWidgetItem* stageItem(const ModelSummary& summary, int stage);
  /// The room that names take with their indentation, in pixels.
  int longestName();
  /// That a column's title and texts take.
  static QString mechanismTitle();
  int titleWidth(const QString& title) const;
  int neededWidth(int column) const;
  void makeRoomForNames();
  int lineHeight() const;
  QFont stageFont() const;

  bool staged_ = false;
};

}  // namespace softscope
