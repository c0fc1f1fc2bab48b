#include "widgets/LibraryPage.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <array>

namespace softscope {
namespace {

constexpr int rowPadding = 12;
constexpr int columnPadding = 8;

enum Column { Model, Attention, Data, Accuracy, Parameters, Size };
constexpr std::array numbers = {Accuracy, Parameters, Size};

}  // namespace

LibraryPage::LibraryPage(Workspace& workspace, Source source, QWidget* parent)
    : Page(workspace, parent),
      source_(std::move(source)),
      list_(new QTreeWidget(this)),
      open_(new QPushButton(tr("Open"), this)),
      beside_(new QPushButton(tr("Open beside"), this)) {
  setAccessibleName(tr("Model library"));
  list_->setAccessibleName(tr("Trained models in the box"));
  list_->setHeaderLabels(
      {tr("Model"), tr("Attention"), tr("Data"), tr("Accuracy"), tr("Parameters"), tr("Size")});
  list_->headerItem()->setToolTip(
      Accuracy, tr("On pictures it was not trained on, at the input size it opens at"));
  for (const Column column : numbers)
    list_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAlternatingRowColors(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->header()->setStretchLastSection(false);
  auto* about = new QLabel(tr("Small trained models that come with Softscope. A "
                              "double click opens one in place of the model that is shown."),
                           this);
  about->setWordWrap(true);
  open_->setAccessibleName(tr("Open the chosen model"));
  open_->setToolTip(tr("In place of the model that is shown"));
  beside_->setAccessibleName(tr("Open the chosen model beside the others"));
  beside_->setToolTip(tr("To compare it with the models that are open"));
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(12, 0, 12, 0);
  buttons->addWidget(open_);
  buttons->addWidget(beside_);
  buttons->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 12);
  auto* text = new QHBoxLayout;
  text->setContentsMargins(12, 0, 12, 0);
  text->addWidget(about);
  column->addLayout(text);
  column->addWidget(list_, 1);
  column->addLayout(buttons);
  connect(list_, &QTreeWidget::itemSelectionChanged, this, &LibraryPage::updateButtons);
  connect(list_, &QTreeWidget::itemActivated, this, [this] { Q_EMIT openWanted(chosenPath()); });
  connect(open_, &QPushButton::clicked, this, [this] { Q_EMIT openWanted(chosenPath()); });
  connect(beside_, &QPushButton::clicked, this, [this] { Q_EMIT openBesideWanted(chosenPath()); });
  updateButtons();
}

void LibraryPage::showEvent(QShowEvent* event) {
  if (!filled_) fill();
  Page::showEvent(event);
}

void LibraryPage::fill() {
  filled_ = true;
  if (!source_) return;
  for (const LibraryModel& model : source_()) {
    auto* item = new QTreeWidgetItem(list_, {model.name, model.mechanism, model.dataSet,
                                             model.accuracy, model.parameters, model.size});
    item->setData(Model, Qt::UserRole, model.path);
    const QFontMetrics metrics = list_->fontMetrics();
    item->setSizeHint(Model, {metrics.horizontalAdvance(model.name) + columnPadding,
                              metrics.height() + rowPadding});
    item->setToolTip(Model, model.path);
    item->setToolTip(Accuracy, model.accuracyInFull);
    for (const Column column : numbers)
      item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  for (int column = 0; column < list_->columnCount(); ++column) {
    list_->resizeColumnToContents(column);
    list_->setColumnWidth(column, list_->columnWidth(column) + columnPadding);
  }
  if (list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
}

QString LibraryPage::chosenPath() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item ? item->data(Model, Qt::UserRole).toString() : QString();
}

void LibraryPage::updateButtons() {
  const bool chosen = !chosenPath().isEmpty();
  open_->setEnabled(chosen);
  beside_->setEnabled(chosen);
}

}  // namespace softscope
