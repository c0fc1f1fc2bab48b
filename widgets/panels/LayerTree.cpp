#include "widgets/panels/LayerTree.h"

#include "core/attention/Mechanism.h"
#include "core/query/QueryToken.h"
#include "widgets/controls/Theme.h"
#include "widgets/paint/PanelText.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QClipboard>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QGuiApplication>
#include <QtGui/QPainter>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QMenu>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

constexpr int nameRole = Qt::UserRole;
constexpr int stageRole = Qt::UserRole + 1;

/// Smallest height of a line with text of the usual size, in pixels.
constexpr int leastLine = 22;
constexpr int narrowestTree = 200;
constexpr int mechanismColumn = 1;
constexpr int headsColumn = 2;
constexpr int tokensColumn = 3;
/// Room around the tokens, in pixels.
constexpr int tokensPadding = 22;
/// Margin beside a text in Fusion, in pixels.
constexpr int textMargin = 4;

QString tokensOf(const LayerInspection* layer) {
  if (!layer) return {};
  const AttentionDescription& attention = layer->attention->description();
  const std::optional<TokenGrid>& grid =
      attention.queryGrid ? attention.queryGrid : attention.keyGrid;
  if (!grid) return QString::number(attention.queries);
  const QString patches = QStringLiteral("%1 × %2").arg(grid->height).arg(grid->width);
  const int others =
      singleTokens(attention, attention.queryGrid ? Direction::Rows : Direction::Columns);
  return others > 0 ? patches + QStringLiteral(" + %1").arg(others) : patches;
}

/// Returns ` · SOFT` if every layer of a stage has that mechanism.
QString mechanismOfLayer(const ModelSummary& summary, int stage) {
  std::set<std::string> mechanisms;
  for (const LayerSummary& layer : summary.layers) {
    if (layer.stage == stage) mechanisms.insert(layer.mechanism);
  }
  if (mechanisms.size() != 1) return {};
  return QStringLiteral(" · ") + QString::fromStdString(titleOfMechanism(*mechanisms.begin()));
}

}  // namespace

QString LayerTree::mechanismTitle() {
  return tr("Attention");
}

LayerTree::LayerTree(QWidget* parent) : QTreeWidget(parent) {
  setAccessibleName(tr("Layers"));
  setColumnCount(4);
  setHeaderLabels({tr("Layer"), mechanismTitle(), tr("Heads"), tr("Tokens")});
  setRootIsDecorated(true);
  setUniformRowHeights(true);
  setIndentation(12);
  setFrameShape(QFrame::NoFrame);
  // Names are elided in the middle, because layers differ at the end of their names.
  setTextElideMode(Qt::ElideMiddle);
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(0, QHeaderView::Stretch);
  header()->setMinimumSectionSize(30);
  header()->setTextElideMode(Qt::ElideRight);
  setMinimumWidth(narrowestTree);
  for (int column = 1; column < 4; ++column) {
    header()->setSectionResizeMode(
        column, column == mechanismColumn ? QHeaderView::Fixed : QHeaderView::ResizeToContents);
  }
  connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item && item->data(0, nameRole).isValid()) {
      Q_EMIT layerChosen(item->data(0, nameRole).toString().toStdString());
    }
  });
}

void LayerTree::clearLayers() {
  const QSignalBlocker quiet(this);
  clear();
}

void LayerTree::setLayers(const ModelSummary& summary, const Inspection* inspection) {
  const QSignalBlocker quiet(this);
  clear();
  staged_ = !summary.layers.empty() && summary.layers.back().stage > 1;
  QStringList names;
  for (const LayerSummary& layer : summary.layers) names += QString::fromStdString(layer.name);
  const QStringList shownNames = shortLayerNames(names);
  for (qsizetype i = 0; i < names.size(); ++i) {
    const LayerSummary& layer = summary.layers[static_cast<std::size_t>(i)];
    QTreeWidgetItem* parent = staged_ ? stageItem(summary, layer.stage) : nullptr;
    auto* item = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(this);
    const QString& name = names[i];
    item->setText(0, shownNames[i]);
    item->setSizeHint(0, QSize(0, lineHeight()));
    item->setData(0, nameRole, name);
    const QString mechanism = QString::fromStdString(titleOfMechanism(layer.mechanism));
    item->setToolTip(0, name + u'\n' + mechanism);
    item->setText(mechanismColumn, mechanism);
    item->setToolTip(mechanismColumn, mechanism);
    item->setText(2, QString::number(layer.heads));
    item->setText(3, tokensOf(inspection ? inspection->find(layer.name) : nullptr));
    item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(3, Qt::AlignRight | Qt::AlignVCenter);
    // Two numbers side by side would read as one.
    item->setSizeHint(3, {fontMetrics().horizontalAdvance(item->text(3)) + tokensPadding, 0});
    for (int column = 1; column < 4; ++column) item->setForeground(column, mutedText(palette()));
  }
  expandAll();
  makeRoomForNames();
}

void LayerTree::contextMenuEvent(QContextMenuEvent* event) {
  const QTreeWidgetItem* item =
      event->reason() == QContextMenuEvent::Keyboard ? currentItem() : itemAt(event->pos());
  if (!item || !item->data(0, nameRole).isValid()) return;
  const QString name = item->data(0, nameRole).toString();
  QMenu menu;
  const QAction* show = menu.addAction(tr("Show this layer"));
  const QAction* copyName = menu.addAction(tr("Copy its name"));
  const QAction* copyOption = menu.addAction(tr("Copy as option of a command"));
  const QAction* chosen = menu.exec(event->globalPos());
  if (!chosen) return;
  if (chosen == show) Q_EMIT layerChosen(name.toStdString());
  if (chosen == copyName) QGuiApplication::clipboard()->setText(name);
  if (chosen == copyOption) {
    QGuiApplication::clipboard()->setText(QStringLiteral("--layer ") + name);
  }
}

std::vector<int> LayerTree::nameWidths() {
  std::vector<int> widths;
  for (QTreeWidgetItemIterator item(this); *item; ++item) {
    if (!(*item)->data(0, nameRole).isValid()) continue;
    widths.push_back(fontMetrics().horizontalAdvance((*item)->text(0)) +
                     (staged_ ? 2 : 1) * indentation() + 2 * textMargin);
  }
  return widths;
}

int LayerTree::roomForNames() {
  std::vector<int> widths = nameWidths();
  if (widths.empty()) return 0;
  // Without stages, a few long names, such as those of class attention, are shortened in the middle
  // rather than every layer's mechanism.
  const std::size_t most = widths.size() - 1;
  const auto reference =
      widths.begin() + static_cast<std::ptrdiff_t>(staged_ ? most : most * 3 / 4);
  std::nth_element(widths.begin(), reference, widths.end());
  return *reference;
}

bool LayerTree::namesNeedMechanisms(int room) {
  const std::vector<int> widths = nameWidths();
  if (staged_ || widths.empty() || room >= neededWidth(mechanismColumn)) return false;
  const int longer = *std::max_element(widths.begin(), widths.end()) - roomForNames();
  return longer > 0 && longer <= room;
}

int LayerTree::titleWidth(const QString& title) const {
  return header()->fontMetrics().horizontalAdvance(title) + 4 * textMargin;
}

int LayerTree::neededWidth(int column) const {
  const QString title = column == mechanismColumn ? mechanismTitle() : headerItem()->text(column);
  return std::max(sizeHintForColumn(column), titleWidth(title));
}

int LayerTree::takenWidth(int column) const {
  // The header knows no width of a hidden column.
  if (isColumnHidden(column)) return neededWidth(column);
  return std::max(sizeHintForColumn(column), header()->sectionSizeHint(column));
}

void LayerTree::makeRoomForNames() {
  int others = roomForNames();
  for (int column = mechanismColumn + 1; column < columnCount(); ++column) {
    others += neededWidth(column);
  }
  const int room = viewport()->width() - others;
  const int needed = neededWidth(mechanismColumn);
  // With stages, their titles name the mechanism, too; otherwise it is elided as long as something
  // of it remains.
  const int least =
      staged_ ? needed : fontMetrics().horizontalAdvance(QStringLiteral("sim…")) + 2 * textMargin;
  setColumnHidden(mechanismColumn, room < least || namesNeedMechanisms(room));
  const int width = std::clamp(room, header()->minimumSectionSize(), needed);
  header()->resizeSection(mechanismColumn, width);
  // All layers would look alike without their names.
  const int lacking = roomForNames() - textMargin - viewport()->width();
  const int heads = takenWidth(headsColumn);
  setColumnHidden(tokensColumn, lacking + heads + takenWidth(tokensColumn) > 0);
  setColumnHidden(headsColumn, lacking + heads > 0);
  // An elided title is left out; the texts below it are self-explanatory.
  headerItem()->setText(mechanismColumn,
                        width < titleWidth(mechanismTitle()) ? QString() : mechanismTitle());
}

int LayerTree::lineHeight() const {
  return std::max(leastLine, fontMetrics().height() + 2 * textMargin);
}

void LayerTree::changeEvent(QEvent* event) {
  QTreeWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  for (QTreeWidgetItemIterator item(this); *item; ++item) {
    (*item)->setSizeHint(0, QSize(0, lineHeight()));
    if (!(*item)->data(0, nameRole).isValid()) (*item)->setFont(0, stageFont());
  }
  makeRoomForNames();
}

QFont LayerTree::stageFont() const {
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  return bold;
}

void LayerTree::resizeEvent(QResizeEvent* event) {
  const QTreeWidgetItem* chosen = currentItem();
  const bool isInSight =
      chosen && visualItemRect(chosen).intersects(QRect(QPoint(), event->oldSize()));
  QTreeWidget::resizeEvent(event);
  makeRoomForNames();
  if (isInSight) scrollToItem(chosen);
}

void LayerTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  QTreeWidget::drawRow(painter, option, index);
  const bool isCurrent = index.siblingAtColumn(0) == currentIndex().siblingAtColumn(0);
  if (!isCurrent || !hasFocus()) return;
  // The shade of the chosen row hardly changes with the focus.
  painter->save();
  painter->setPen(palette().color(QPalette::Text));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  painter->restore();
}

QItemSelectionModel::SelectionFlags LayerTree::selectionCommand(const QModelIndex& index,
                                                                const QEvent* event) const {
  if (!index.flags().testFlag(Qt::ItemIsSelectable)) return QItemSelectionModel::NoUpdate;
  return QTreeWidget::selectionCommand(index, event);
}

QTreeWidgetItem* LayerTree::stageItem(const ModelSummary& summary, int stage) {
  for (int i = 0; i < topLevelItemCount(); ++i) {
    if (topLevelItem(i)->data(0, stageRole).toInt() == stage) return topLevelItem(i);
  }
  auto* item = new QTreeWidgetItem(this);
  item->setText(0, tr("Stage %1").arg(stage) + mechanismOfLayer(summary, stage));
  item->setData(0, stageRole, stage);
  item->setFlags(Qt::ItemIsEnabled);
  item->setFirstColumnSpanned(true);
  item->setSizeHint(0, QSize(0, lineHeight()));
  item->setFont(0, stageFont());
  return item;
}

void LayerTree::setCurrentLayer(const std::string& name) {
  const QSignalBlocker quiet(this);
  const QString wanted = QString::fromStdString(name);
  for (QTreeWidgetItemIterator item(this); *item; ++item) {
    if ((*item)->data(0, nameRole).toString() != wanted || wanted.isEmpty()) continue;
    setCurrentItem(*item);
    scrollToItem(*item);
    return;
  }
}

}  // namespace softscope
