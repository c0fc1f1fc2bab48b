#include "app/window/preferences/ShortcutsEditor.h"

#include "app/window/preferences/ActionShortcuts.h"
#include "app/window/preferences/KeyRecorder.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {
namespace {

enum KeysColumn { ActionColumn, MenuColumn, KeysTextColumn, KeysColumns };

QPushButton* keysButton(const QString& text, const QString& name) {
  auto* button = new QPushButton(text);
  button->setAccessibleName(name);
  button->setToolTip(name);
  button->setAutoDefault(false);
  return button;
}

std::size_t actionOf(const QTreeWidgetItem& item) {
  return item.data(ActionColumn, Qt::UserRole).toULongLong();
}

bool hasWords(const QTreeWidgetItem& item, const QStringList& words) {
  QString text;
  for (int column = 0; column < KeysColumns; ++column) text += item.text(column) + u' ';
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

ShortcutsEditor::ShortcutsEditor(ActionShortcuts& shortcuts, QWidget* parent)
    : QWidget(parent),
      shortcuts_(shortcuts),
      words_(new QLineEdit),
      list_(new QTreeWidget),
      nothing_(new QLabel(tr("No action has these words"))),
      change_(keysButton(tr("Change…"), tr("Give the chosen action other keys"))),
      remove_(keysButton(tr("Remove"), tr("Take the keys from the chosen action"))),
      reset_(keysButton(tr("Reset"), tr("Give the chosen action its first keys again"))),
      resetAll_(keysButton(tr("Reset all"), tr("Give all actions their first keys again"))) {
  words_->setPlaceholderText(tr("Filter by name, menu or keys"));
  words_->setAccessibleName(words_->placeholderText());
  words_->setClearButtonEnabled(true);
  list_->setAccessibleName(tr("Actions and their keys"));
  list_->setHeaderLabels({tr("Action"), tr("Menu"), tr("Keys")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAllColumnsShowFocus(true);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(ActionColumn, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(MenuColumn, QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(KeysTextColumn, QHeaderView::ResizeToContents);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setForegroundRole(QPalette::PlaceholderText);
  nothing_->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 12);
  column->setSpacing(8);
  column->addWidget(words_);
  column->addWidget(list_, 1);
  column->addWidget(nothing_, 1);
  column->addWidget(makeButtons());
  connect(words_, &QLineEdit::textChanged, this, &ShortcutsEditor::filter);
  connect(words_, &QLineEdit::returnPressed, this, [this] {
    if (change_->isEnabled()) record(list_->currentItem());
  });
  connect(list_, &QTreeWidget::itemActivated, this, &ShortcutsEditor::record);
  connect(list_, &QTreeWidget::currentItemChanged, this, &ShortcutsEditor::showButtons);
  connect(&shortcuts_, &ActionShortcuts::changed, this, &ShortcutsEditor::showKeys);
  fill();
}

QWidget* ShortcutsEditor::makeButtons() {
  auto* buttons = new QWidget;
  auto* line = new QHBoxLayout(buttons);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(change_);
  line->addWidget(remove_);
  line->addWidget(reset_);
  line->addStretch(1);
  line->addWidget(resetAll_);
  connect(change_, &QPushButton::clicked, this, [this] { record(list_->currentItem()); });
  connect(remove_, &QPushButton::clicked, this,
          [this] { shortcuts_.remove(actionOf(*list_->currentItem())); });
  connect(reset_, &QPushButton::clicked, this, &ShortcutsEditor::resetChosen);
  connect(resetAll_, &QPushButton::clicked, this, &ShortcutsEditor::resetAll);
  return buttons;
}

void ShortcutsEditor::fill() {
  const auto& actions = shortcuts_.actions();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    auto* item = new QTreeWidgetItem(list_, {actions[i].name, actions[i].menu});
    item->setData(ActionColumn, Qt::UserRole, qulonglong{i});
  }
  showKeys();
  list_->setCurrentItem(list_->topLevelItem(0));
}

void ShortcutsEditor::showKeys() {
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem& item = *list_->topLevelItem(row);
    const ActionWithKeys& known = shortcuts_.actions()[actionOf(item)];
    item.setText(KeysTextColumn, known.keysText());
    QFont font = list_->font();
    font.setBold(!known.hasDefaultKeys());
    item.setFont(KeysTextColumn, font);
    const QString first = QKeySequence::listToString(known.byDefault, QKeySequence::NativeText);
    item.setToolTip(KeysTextColumn, known.hasDefaultKeys() ? QString()
                                    : first.isEmpty()      ? tr("At first: none")
                                                           : tr("At first: %1").arg(first));
  }
  showButtons();
}

void ShortcutsEditor::showButtons() {
  const QTreeWidgetItem* item = list_->currentItem();
  const ActionWithKeys* chosen =
      item && !item->isHidden() ? &shortcuts_.actions()[actionOf(*item)] : nullptr;
  change_->setEnabled(chosen);
  remove_->setEnabled(chosen && !chosen->keys().isEmpty());
  reset_->setEnabled(chosen && !chosen->hasDefaultKeys());
  const auto& all = shortcuts_.actions();
  resetAll_->setEnabled(std::any_of(
      all.begin(), all.end(), [](const ActionWithKeys& known) { return !known.hasDefaultKeys(); }));
}

void ShortcutsEditor::filter(const QString& words) {
  const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
  QTreeWidgetItem* first = nullptr;
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    item->setHidden(!hasWords(*item, wanted));
    if (!item->isHidden() && !first) first = item;
  }
  list_->setVisible(first);
  nothing_->setVisible(!first);
  const QTreeWidgetItem* current = list_->currentItem();
  if (first && (!current || current->isHidden())) list_->setCurrentItem(first);
  showButtons();
}

void ShortcutsEditor::record(QTreeWidgetItem* item) {
  if (!item) return;
  auto* recorder = new KeyRecorder(shortcuts_, actionOf(*item), this);
  recorder->setAttribute(Qt::WA_DeleteOnClose);
  recorder->open();
}

void ShortcutsEditor::resetChosen() {
  const std::size_t action = actionOf(*list_->currentItem());
  if (const auto owner = shortcuts_.ownerOfDefault(action)) {
    const ActionWithKeys& known = shortcuts_.actions()[action];
    const auto answer =
        QMessageBox::question(this, tr("Reset keys"),
                              tr("The first keys of “%1” belong to “%2” now. Take them from there?")
                                  .arg(known.name, shortcuts_.actions()[*owner].name));
    if (answer != QMessageBox::Yes) return;
  }
  shortcuts_.reset(action);
}

void ShortcutsEditor::resetAll() {
  const auto answer = QMessageBox::question(this, tr("Reset all keys"),
                                            tr("Give every action the keys it had at first?"));
  if (answer == QMessageBox::Yes) shortcuts_.resetAll();
}

}  // namespace softscope
