#include "app/window/preferences/ShortcutsEditor.h"

#include "app/window/preferences/ActionShortcuts.h"

#include <QtGui/QAccessible>
#include <QtGui/QAction>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QDialogButtonBox>
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

bool isModifier(int key) {
  return key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt ||
         key == Qt::Key_Meta || key == Qt::Key_AltGr || key == Qt::Key_Super_L ||
         key == Qt::Key_Super_R || key == Qt::Key_CapsLock || key == Qt::Key_NumLock;
}

/// Returns the keys as a shortcut: Shift is dropped if it is only needed to type the character, as
/// for `+` on some keyboards.
QKeySequence keysOf(const QKeyEvent& event) {
  Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  const QString text = event.text();
  const bool typesSymbol = !text.isEmpty() && text.at(0).isPrint() &&
                           !text.at(0).isLetterOrNumber() && !text.at(0).isSpace();
  if (typesSymbol) modifiers &= ~Qt::ShiftModifier;
  return QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(event.key())));
}

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

KeyRecorder::KeyRecorder(ActionShortcuts& shortcuts, std::size_t action, QWidget* parent)
    : QDialog(parent),
      shortcuts_(shortcuts),
      action_(action),
      pressed_(new QLabel),
      answer_(new QLabel),
      swap_(new QPushButton(tr("Swap"))) {
  const ActionWithKeys& known = shortcuts.actions()[action];
  setWindowTitle(tr("Keys of “%1”").arg(known.name));
  setAccessibleName(windowTitle());
  const QString has = known.keysText();
  auto* request = new QLabel(tr("Press the keys for “%1”.").arg(known.name));
  request->setAccessibleName(windowTitle());
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.5);
  pressed_->setFont(large);
  pressed_->setAlignment(Qt::AlignCenter);
  pressed_->setText(has.isEmpty() ? tr("none yet") : has);
  pressed_->setForegroundRole(QPalette::PlaceholderText);
  pressed_->setAccessibleName(tr("Keys"));
  answer_->setWordWrap(true);
  answer_->setAccessibleName(tr("Whether these keys are free"));
  answer_->setMinimumHeight(3 * fontMetrics().lineSpacing());
  answer_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  answer_->setText(tr("Esc leaves them as they are."));
  auto* buttons = new QDialogButtonBox;
  buttons->addButton(swap_, QDialogButtonBox::ActionRole);
  QPushButton* cancel = buttons->addButton(QDialogButtonBox::Cancel);
  // Every key except Enter and Esc is recorded, so no key may press a button. No button is the
  // default either: the dialog behind would also press its default button with the Enter that
  // opened this one.
  for (QPushButton* button : {swap_, cancel}) {
    button->setFocusPolicy(Qt::NoFocus);
    button->setAutoDefault(false);
  }
  swap_->setAccessibleName(tr("Swap the keys of both"));
  cancel->setAccessibleName(tr("Cancel"));
  swap_->setEnabled(false);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 16, 18, 14);
  column->setSpacing(12);
  column->addWidget(request);
  column->addWidget(pressed_);
  column->addWidget(answer_);
  column->addWidget(buttons);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumWidth(24 * fontMetrics().averageCharWidth() * 2);
  connect(swap_, &QPushButton::clicked, this, &KeyRecorder::take);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
}

bool KeyRecorder::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // Take these keys even if they are shortcuts elsewhere.
    event->accept();
    return true;
  }
  if (event->type() == QEvent::KeyPress) {
    // Includes Tab, which would otherwise move to the next control.
    keyPressEvent(static_cast<QKeyEvent*>(event));
    return true;
  }
  return QDialog::event(event);
}

void KeyRecorder::keyPressEvent(QKeyEvent* event) {
  const bool isPlain = event->modifiers() == Qt::NoModifier;
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isPlain && event->key() == Qt::Key_Escape) {
    reject();
  } else if (isEnter && swap_->isEnabled()) {
    take();
  } else if (!isModifier(event->key()) && event->key() != 0) {
    offer(keysOf(*event));
  }
}

void KeyRecorder::offer(const QKeySequence& keys) {
  keys_ = keys;
  pressed_->setText(keys.toString(QKeySequence::NativeText));
  pressed_->setForegroundRole(QPalette::WindowText);
  swap_->setEnabled(false);
  const QString refusal = ActionShortcuts::refusalOf(keys);
  if (!refusal.isEmpty()) {
    tell(refusal + u'.');
    return;
  }
  const auto owner = shortcuts_.ownerOf(keys, action_);
  if (!owner) {
    take();
    return;
  }
  const ActionWithKeys& other = shortcuts_.actions()[*owner];
  const QString gets = shortcuts_.actions()[action_].keysText();
  tell(gets.isEmpty()
           ? tr("They belong to “%1”, which would have none. Swap takes them from there; other "
                "keys can be pressed instead.")
                 .arg(other.name)
           : tr("They belong to “%1”, which would get %2. Swap does that; other keys can be "
                "pressed instead.")
                 .arg(other.name, gets));
  swap_->setEnabled(true);
}

void KeyRecorder::tell(const QString& text) {
  answer_->setText(text);
  QAccessibleEvent said(answer_, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&said);
}

void KeyRecorder::take() {
  shortcuts_.assign(action_, keys_);
  accept();
}

ShortcutsEditor::ShortcutsEditor(ActionShortcuts& shortcuts, QWidget* parent)
    : QWidget(parent),
      shortcuts_(shortcuts),
      words_(new QLineEdit),
      list_(new QTreeWidget),
      nothing_(new QLabel(tr("No action has these words"))),
      change_(keysButton(tr("Change…"), tr("Give the chosen action other keys"))),
      remove_(keysButton(tr("Remove"), tr("Take the keys from the chosen action"))),
      reset_(keysButton(tr("Reset"), tr("Give the chosen action its default keys again"))),
      resetAll_(keysButton(tr("Reset all"), tr("Give all actions their default keys again"))) {
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
                                    : first.isEmpty()      ? tr("Default: none")
                                                           : tr("Default: %1").arg(first));
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
    const auto answer = QMessageBox::question(
        this, tr("Reset keys"),
        tr("The default keys of “%1” belong to “%2” now. Take them from there?")
            .arg(known.name, shortcuts_.actions()[*owner].name));
    if (answer != QMessageBox::Yes) return;
  }
  shortcuts_.reset(action);
}

void ShortcutsEditor::resetAll() {
  const auto answer =
      QMessageBox::question(this, tr("Reset all keys"), tr("Give every action its default keys?"));
  if (answer == QMessageBox::Yes) shortcuts_.resetAll();
}

}  // namespace softscope
