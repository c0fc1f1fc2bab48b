#include "widgets/pages/LibraryPage.h"

#include "core/attention/Mechanism.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QEvent>
#include <QtCore/QFileInfo>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <array>
#include <vector>

namespace softscope {
namespace {

constexpr int rowPadding = 12;
constexpr int columnPadding = 2;
/// The width of a cell in addition to its text, in pixels.
constexpr int marginsOfText = 10;

enum LibraryColumn {
  OpenColumn,
  ModelColumn,
  AccuracyColumn,
  AttentionColumn,
  DataColumn,
  SizeColumn
};
constexpr std::array numbers = {AccuracyColumn, SizeColumn};
/// The columns that share the width that no column needs.
constexpr std::array wordColumns = {ModelColumn, AttentionColumn, DataColumn};

/// The columns that a narrow page leaves out, the first one first; the model's tip has their texts.
constexpr std::array leftOutFirst = {SizeColumn, DataColumn};

/// Returns the same path for the same file, however it is named.
QString canonical(const QString& path) {
  return QFileInfo(path).canonicalFilePath();
}

QToolButton* rowButton(const QString& text, const QString& name, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setAccessibleName(name);
  button->setToolTip(tip);
  return button;
}

}  // namespace

LibraryPage::LibraryPage(Workspace& workspace, Source source, QWidget* parent)
    : Page(workspace, parent), source_(std::move(source)), list_(new QTreeWidget(this)) {
  setAccessibleName(tr("Model library"));
  list_->setAccessibleName(tr("Trained models in the box"));
  list_->setHeaderLabels(
      {QString(), tr("Model"), tr("Accuracy"), tr("Attention"), tr("Data"), tr("Size")});
  list_->headerItem()->setToolTip(
      AccuracyColumn, tr("On pictures it was not trained on, at the input size it opens at"));
  for (const LibraryColumn column : numbers)
    list_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAlternatingRowColors(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->header()->setStretchLastSection(false);
  list_->viewport()->installEventFilter(this);
  auto* about = new QLabel(tr("Small trained models that come with Softscope. Open shows one in "
                              "place of the model in front, + beside it, to compare."),
                           this);
  about->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  auto* text = new QHBoxLayout;
  text->setContentsMargins(12, 0, 12, 0);
  text->addWidget(about);
  column->addLayout(text);
  column->addWidget(list_, 1);
  connect(&workspace_.models(), &OpenModels::changed, this, &LibraryPage::showOpened);
  connect(list_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
    Q_EMIT openWanted(item->data(ModelColumn, Qt::UserRole).toString());
  });
}

void LibraryPage::showEvent(QShowEvent* event) {
  if (!filled_) fill();
  showOpened();
  Page::showEvent(event);
}

/// Makes the line of the current model the current line, and those of open models bold. No line is
/// current if the current model is not from the library.
void LibraryPage::showOpened() {
  const OpenModels& models = workspace_.models();
  QTreeWidgetItem* front = nullptr;
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = list_->topLevelItem(i);
    const QString path = canonical(item->data(ModelColumn, Qt::UserRole).toString());
    const auto isIt = [&](const OpenedModel& model) {
      return canonical(QString::fromStdString(model.request.path)) == path;
    };
    const bool open = std::any_of(models.all().begin(), models.all().end(), isIt);
    QFont font = list_->font();
    font.setBold(open);
    item->setFont(ModelColumn, font);
    if (models.current() && isIt(*models.current())) front = item;
  }
  list_->setCurrentItem(front);
  if (!front) list_->clearSelection();
}

void LibraryPage::fill() {
  filled_ = true;
  if (!source_) return;
  for (const LibraryModel& model : source_()) add(model);
  shareWidth();
}

void LibraryPage::shareWidth() {
  int spare = list_->viewport()->width();
  for (int column = 0; column < list_->columnCount(); ++column) {
    list_->setColumnHidden(column, false);
    list_->resizeColumnToContents(column);
    list_->setColumnWidth(column, list_->columnWidth(column) + columnPadding);
    spare -= list_->columnWidth(column);
  }
  for (const LibraryColumn column : leftOutFirst) {
    if (spare >= 0) break;
    spare += list_->columnWidth(column);
    list_->setColumnHidden(column, true);
  }
  std::vector<LibraryColumn> sharing;
  for (const LibraryColumn column : wordColumns) {
    if (!list_->isColumnHidden(column)) sharing.push_back(column);
  }
  for (const LibraryColumn column : sharing) {
    const int share = spare / static_cast<int>(sharing.size());
    const int least = list_->header()->sectionSizeHint(column);
    list_->setColumnWidth(column, std::max(least, list_->columnWidth(column) + share));
  }
}

bool LibraryPage::eventFilter(QObject* watched, QEvent* event) {
  if (filled_ && watched == list_->viewport() && event->type() == QEvent::Resize) {
    const auto& resized = static_cast<const QResizeEvent&>(*event);
    // A scroll bar that comes or goes below the columns changes nothing for them.
    if (resized.size().width() != resized.oldSize().width()) shareWidth();
  }
  return Page::eventFilter(watched, event);
}

void LibraryPage::add(const LibraryModel& model) {
  auto* item = new QTreeWidgetItem(
      list_, {QString(), model.name, model.accuracy,
              QString::fromStdString(titleOfMechanism(model.mechanism.toStdString())),
              model.dataSet, model.size});
  item->setData(ModelColumn, Qt::UserRole, model.path);
  // Sets the width for bold text, which an open model has.
  QFont bold = list_->font();
  bold.setBold(true);
  const QFontMetrics metrics(bold);
  item->setSizeHint(ModelColumn, {metrics.horizontalAdvance(model.name) + marginsOfText,
                                  metrics.height() + rowPadding});
  item->setToolTip(ModelColumn, tr("%1 parameters\n%2 · %3\n%4")
                                    .arg(model.parameters, model.dataSet, model.size, model.path));
  item->setToolTip(AccuracyColumn, model.accuracyInFull);
  item->setToolTip(AttentionColumn, item->text(AttentionColumn));
  for (const LibraryColumn column : numbers)
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  addButtons(item, model);
}

void LibraryPage::addButtons(QTreeWidgetItem* item, const LibraryModel& model) {
  auto* open = rowButton(tr("Open"), tr("Open %1").arg(model.name),
                         tr("In place of the model that is shown"));
  auto* beside = rowButton(QStringLiteral("+"), tr("Open %1 beside the others").arg(model.name),
                           tr("Beside the models that are open, to compare them"));
  connect(open, &QToolButton::clicked, this,
          [this, path = model.path] { Q_EMIT openWanted(path); });
  connect(beside, &QToolButton::clicked, this,
          [this, path = model.path] { Q_EMIT openBesideWanted(path); });
  auto* both = new QWidget;
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(6, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(open);
  row->addWidget(beside);
  list_->setItemWidget(item, OpenColumn, both);
  item->setSizeHint(OpenColumn, both->sizeHint());
}

QWidget* LibraryPage::keyTaker() {
  return list_->isVisibleTo(this) ? list_ : nullptr;
}

}  // namespace softscope
