#include "app/window/contents/CommandPalette.h"

#include "app/window/contents/PageExplanation.h"
#include "core/attention/Mechanism.h"
#include "widgets/controls/NameText.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QPointer>
#include <QtCore/QStringList>
#include <QtGui/QAction>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace softscope {
namespace {

/// Words by which users of other programs look for an action.
struct OtherWords {
  const char* action;
  const char* words;
};

constexpr OtherWords actionWords[] = {
    {"page-heads", "heat map heatmap heatmaps attention maps overlay"},
    {"page-compare", "side by side models difference"},
    {"page-spectrum", "spectral eigen eigenvalues eigenvectors singular values rank SVD"},
    {"page-norms", "spectral norm condition largest eigenvalue inverse"},
    {"page-convergence", "Newton iterations Moore-Penrose pseudo-inverse"},
    {"page-matrix", "rows columns entries n x n"},
    {"page-share", "knock-outs ablation importance"},
    {"page-deletion", "insertion faithfulness perturbation RISE"},
    {"page-rollout", "attention flow"},
    {"page-saliency", "Grad-CAM gradients"},
    {"page-overview", "head wall distance entropy thumbnails all heads"},
    {"page-cost", "speed time memory FLOPs benchmark"},
    {"page-models", "library checkpoints zoo in the box"},
    {"exportFigure", "save pdf png svg image picture print"},
    {"exportPages", "save pdf all figures report supplement"},
    {"exportInteractive", "save html web browser website supplement"},
    {"exportSweep", "animation animated motion gif webp film video movie frames"},
    {"saveNumbers", "csv npz numpy table data"},
    {"copyCommand", "command line terminal reproduce"},
    {"swapDirection", "columns rows transpose attended by keys queries"},
    {"classToken", "CLS registers"},
    {"openModel", "checkpoint weights pth safetensors load network"},
    {"openBeside", "checkpoint weights compare add load network"},
    {"flipModel", "switch toggle swap A/B"},
    {"openPicture", "image photo jpg png load"},
    {"openSeries", "epochs steps run slider load"},
    {"openWorkspace", "project session load"},
    {"saveWorkspace", "project session"},
    {"saveWorkspaceAs", "project session"},
    {"lastSession", "restore previous reopen"},
    {"goBack", "restore previous undo reopen"},
    {"newSurvey", "data set dataset folder many images statistics measure"},
    {"openSurvey", "data set dataset statistics results"},
    {"smooth", "interpolate bilinear"},
    {"preferences", "settings options"},
    {"fullScreen", "maximise"},
};

QString otherWordsOf(const QAction& action) {
  QString words;
  const QString page = action.data().toString();
  if (action.objectName() == QStringLiteral("page-") + page) words = pageExplanationWords(page);
  for (const OtherWords& other : actionWords) {
    if (action.objectName() == QLatin1String(other.action)) {
      words += u' ' + QString::fromUtf8(other.words);
    }
  }
  return words;
}

/// Adds actions and those of their submenus. `prefix` is the submenu's name; empty for a menu of
/// the menu bar.
void addActions(const QList<QAction*>& actions, const QString& prefix,
                std::vector<PaletteEntry>& entries) {
  for (QAction* action : actions) {
    if (action->isSeparator() || !action->isEnabled() || !action->isVisible()) continue;
    const QString text = menuText(action->text());
    if (action->menu()) {
      // Some menus are filled when they are opened.
      Q_EMIT action->menu()->aboutToShow();
      // Pages are known by their own names.
      const bool isOfPages = action->menu()->objectName() == QStringLiteral("pageMenu");
      addActions(action->menu()->actions(),
                 isOfPages ? prefix : prefix + text + QStringLiteral(": "), entries);
      continue;
    }
    const QPointer<QAction> chosen(action);
    entries.push_back({prefix + text, action->shortcut().toString(QKeySequence::NativeText),
                       [chosen] {
                         if (chosen) chosen->trigger();
                       },
                       otherWordsOf(*action)});
  }
}

constexpr int paletteWidth = 520;
constexpr int paletteHeight = 380;
constexpr int paletteRowPadding = 8;

/// The rank of entries that lack a word.
constexpr std::size_t lastRank = 4;

/// Returns 0 for an entry that is just the words, 1 for one that begins with them, 2 if each begins
/// a word of it, 3 if it contains them, and lastRank if one is missing.
std::size_t rankOf(const QString& text, const QStringList& words) {
  const QString typed = words.join(u' ');
  if (text.compare(typed, Qt::CaseInsensitive) == 0) return 0;
  if (text.startsWith(typed, Qt::CaseInsensitive)) return 1;
  const bool all = std::all_of(words.begin(), words.end(), [&](const QString& word) {
    return text.contains(word, Qt::CaseInsensitive);
  });
  if (!all) return lastRank;
  const bool begin = std::all_of(words.begin(), words.end(), [&](const QString& word) {
    return text.startsWith(word, Qt::CaseInsensitive) ||
           text.contains(u' ' + word, Qt::CaseInsensitive);
  });
  return begin ? 2 : 3;
}

bool areOtherWords(const PaletteEntry& entry, const QStringList& words) {
  const QString all = entry.text + u' ' + entry.otherWords;
  return std::all_of(words.begin(), words.end(), [&](const QString& word) {
    return all.startsWith(word, Qt::CaseInsensitive) ||
           all.contains(u' ' + word, Qt::CaseInsensitive);
  });
}

/// Returns the number of letters to insert, leave out, replace or swap with the next one to make
/// one word of the other.
int lettersApart(const QString& a, const QString& b) {
  const auto width = static_cast<std::size_t>(b.size()) + 1;
  std::vector<int> before(width);
  std::vector<int> row(width);
  std::vector<int> next(width);
  for (std::size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (qsizetype i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const auto other = static_cast<qsizetype>(j) - 1;
      const int replaced = row[j - 1] + (a[i - 1] == b[other] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[other - 1] && a[i - 2] == b[other];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

bool isMistyped(const QString& typed, const QString& word) {
  constexpr qsizetype leastLetters = 4;
  constexpr qsizetype longWord = 7;
  if (typed.size() < leastLetters) return false;
  const int most = typed.size() >= longWord ? 2 : 1;
  // The word may not be typed to its end yet.
  return lettersApart(typed.toLower(), word.left(typed.size()).toLower()) <= most ||
         lettersApart(typed.toLower(), word.toLower()) <= most;
}

bool areMistyped(const PaletteEntry& entry, const QStringList& typed) {
  const QStringList words =
      QString(entry.text + u' ' + entry.otherWords).split(u' ', Qt::SkipEmptyParts);
  return std::all_of(typed.begin(), typed.end(), [&](const QString& wanted) {
    return std::any_of(words.begin(), words.end(),
                       [&](const QString& word) { return isMistyped(wanted, word); });
  });
}

}  // namespace

std::vector<PaletteEntry> paletteEntries(const QMenuBar& menus, Workspace& workspace) {
  const auto text = [](const char* words) {
    return QCoreApplication::translate("PaletteEntries", words);
  };
  std::vector<PaletteEntry> entries;
  for (const QAction* top : menus.actions()) {
    if (top->menu()) addActions(top->menu()->actions(), {}, entries);
  }
  const OpenModels& models = workspace.models();
  if (const OpenedModel* current = models.current()) {
    for (const LayerSummary& layer : current->summary().layers) {
      const std::string name = layer.name;
      entries.push_back({text("Layer ") + QString::fromStdString(name),
                         QString::fromStdString(titleOfMechanism(layer.mechanism)),
                         [&workspace, name] { workspace.layers().choose(name); }});
    }
  }
  for (const OpenedModel& model : models.all()) {
    const int id = model.id;
    entries.push_back({text("Model ") + model.name(), text("open"), [&workspace, id] {
                         const auto& all = workspace.models().all();
                         for (std::size_t i = 0; i < all.size(); ++i) {
                           if (all[i].id == id) workspace.models().setCurrent(static_cast<int>(i));
                         }
                       }});
  }
  return entries;
}

std::vector<PaletteEntry> matchingEntries(const std::vector<PaletteEntry>& entries,
                                          const QString& words) {
  const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
  if (wanted.isEmpty()) return entries;
  std::array<std::vector<PaletteEntry>, lastRank + 1> ranks;
  for (const PaletteEntry& entry : entries) {
    const std::size_t rank = rankOf(entry.text, wanted);
    if (rank < lastRank || areOtherWords(entry, wanted)) ranks[rank].push_back(entry);
  }
  std::vector<PaletteEntry> matching;
  for (auto& rank : ranks) {
    matching.insert(matching.end(), rank.begin(), rank.end());
  }
  if (!matching.empty()) return matching;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(matching),
               [&](const PaletteEntry& entry) { return areMistyped(entry, wanted); });
  return matching;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      entries_(std::move(entries)),
      words_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(tr("Command palette"));
  words_->setPlaceholderText(tr("Type what to do, or a layer or a model"));
  words_->setAccessibleName(tr("What to do"));
  words_->installEventFilter(this);
  list_->setAccessibleName(tr("What can be done"));
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideMiddle);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(6);
  column->addWidget(words_);
  column->addWidget(list_, 1);
  connect(words_, &QLineEdit::textChanged, this, &CommandPalette::showMatching);
  connect(words_, &QLineEdit::returnPressed, this, &CommandPalette::runChosen);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::runChosen);
  const QSize room = parent->size();
  resize(std::min(paletteWidth, room.width() - 40), std::min(paletteHeight, room.height() - 80));
  move(parent->mapToGlobal(QPoint((room.width() - width()) / 2, 48)));
  showMatching({});
  words_->setFocus();
}

void CommandPalette::showMatching(const QString& words) {
  shown_ = matchingEntries(entries_, words);
  list_->clear();
  for (const PaletteEntry& entry : shown_) {
    const QString gap = entry.detail.isEmpty() ? QString() : QStringLiteral("    ");
    auto* item = new QListWidgetItem(entry.text + gap + entry.detail, list_);
    item->setToolTip(entry.text);
    item->setSizeHint({0, list_->fontMetrics().height() + paletteRowPadding});
  }
  if (shown_.empty()) {
    auto* item = new QListWidgetItem(tr("Nothing has these words"), list_);
    item->setFlags(Qt::NoItemFlags);
  }
  list_->setCurrentRow(shown_.empty() ? -1 : 0);
}

void CommandPalette::paintEvent(QPaintEvent* event) {
  QDialog::paintEvent(event);
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::Highlight));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void CommandPalette::runChosen() {
  const int row = list_->currentRow();
  if (row < 0 || row >= static_cast<int>(shown_.size())) return;
  // The entry may open a dialog, so close the palette first.
  const std::function<void()> run = shown_[static_cast<std::size_t>(row)].run;
  close();
  run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != words_ || event->type() != QEvent::KeyPress) {
    return QDialog::eventFilter(watched, event);
  }
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      QApplication::sendEvent(list_, event);
      return true;
    default:
      return QDialog::eventFilter(watched, event);
  }
}

}  // namespace softscope
