#include "app/window/contents/ModelChips.h"

#include "core/attention/Mechanism.h"
#include "core/model/ModelSummary.h"
#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/paint/FittedText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/Plot.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QEvent>
#include <QtCore/QFileInfo>
#include <QtCore/QSet>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMenu>
#include <QtWidgets/QStyle>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int chipGap = 6;
/// Lines that chips with names take at most; in more, they have numbers.
constexpr int mostLines = 2;
constexpr int lineMargin = 12;
constexpr int dotSize = 10;
constexpr double widestName = 210;
constexpr double narrowestName = 60;
/// In less room, what is left of a name says nothing that the mechanism does not.
constexpr double narrowestTelling = 90;
/// Width of a chip in addition to its text: dot, arrow of the menu, and borders.
constexpr int marginsOfText = 60;

QString titleOf(const std::string& mechanism) {
  return QString::fromStdString(titleOfMechanism(mechanism));
}

/// Returns the names as they fit: their beginnings, which read the easiest, if these tell all names
/// apart.
QStringList shownNames(const QStringList& names, const QFontMetricsF& metrics, double width) {
  QStringList beginnings;
  for (const QString& name : names) {
    beginnings += metrics.elidedText(name, Qt::ElideRight, width);
  }
  const auto different = [](const QStringList& of) {
    return QSet<QString>(of.begin(), of.end()).size();
  };
  return different(beginnings) == different(names) ? beginnings : namesApart(names, metrics, width);
}

QIcon dot(const QColor& color, double ratio) {
  QPixmap pixmap(QSize(dotSize, dotSize) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawEllipse(QRectF(0, 0, dotSize, dotSize));
  return pixmap;
}

}  // namespace

ModelChips::ModelChips(Workspace& workspace, LibraryPage::Source library,
                       std::function<QStringList()> recent, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      library_(std::move(library)),
      recent_(std::move(recent)),
      flow_(new FlowLayout(this, chipGap)),
      add_(new QToolButton(this)) {
  setAccessibleName(tr("Open models"));
  flow_->setContentsMargins(lineMargin, 6, lineMargin, 4);
  add_->setText(QStringLiteral("+"));
  add_->setAutoRaise(true);
  add_->setFocusPolicy(Qt::TabFocus);
  add_->setAccessibleName(tr("Open another model beside these"));
  setKeyTip(*add_, add_->accessibleName(), "openBeside");
  connect(add_, &QToolButton::clicked, this,
          [this] { listModels(add_->mapToGlobal(QPoint(0, add_->height()))); });
  connect(&workspace.models(), &OpenModels::changed, this, &ModelChips::showModels);
  showModels();
}

void ModelChips::addChip() {
  auto* chip = new QToolButton(this);
  const auto index = static_cast<int>(chips_.size());
  chip->setCheckable(true);
  // The theme draws them alike, and the current one with a frame.
  chip->setProperty("chip", true);
  chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  chip->setIconSize({dotSize, dotSize});
  chip->setFocusPolicy(Qt::TabFocus);
  chip->setPopupMode(QToolButton::MenuButtonPopup);
  chip->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* menu = new QMenu(chip);
  menu->setToolTipsVisible(true);
  chip->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu, index] { fillMenu(*menu, index); });
  connect(chip, &QWidget::customContextMenuRequested, menu,
          [menu, chip](const QPoint& place) { menu->popup(chip->mapToGlobal(place)); });
  connect(chip, &QToolButton::clicked, this, [this, index] {
    workspace_.models().setCurrent(index);
    // A click on the current model's chip must not uncheck it.
    showModels();
  });
  chip->installEventFilter(this);
  chips_.push_back(chip);
}

int ModelChips::chipAt(const QPoint& place) const {
  for (std::size_t i = 0; i < chips_.size(); ++i) {
    if (chips_[i]->geometry().contains(place)) return static_cast<int>(i);
  }
  return -1;
}

void ModelChips::markTarget(int index) {
  for (std::size_t i = 0; i < chips_.size(); ++i) {
    chips_[i]->setDown(static_cast<int>(i) == index && index != dragged_);
  }
}

bool ModelChips::drag(QToolButton& chip, const QMouseEvent& event) {
  const QPoint place = chip.mapTo(this, event.position().toPoint());
  switch (event.type()) {
    case QEvent::MouseButtonPress:
      pressedAt_ = place;
      dragged_ = -1;
      return false;
    case QEvent::MouseMove: {
      if (!(event.buttons() & Qt::LeftButton) || chips_.size() < 2) return false;
      const bool isFar =
          (place - pressedAt_).manhattanLength() >= QApplication::startDragDistance();
      if (dragged_ < 0 && isFar) {
        dragged_ = chipAt(pressedAt_);
        chip.setCursor(Qt::ClosedHandCursor);
      }
      if (dragged_ < 0) return false;
      markTarget(chipAt(place));
      return true;
    }
    case QEvent::MouseButtonRelease: {
      if (dragged_ < 0) return false;
      const int from = std::exchange(dragged_, -1);
      chip.unsetCursor();
      markTarget(-1);
      const int to = chipAt(place);
      if (to >= 0) workspace_.models().move(from, to);
      return true;
    }
    default:
      return false;
  }
}

bool ModelChips::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseMove:
    case QEvent::MouseButtonRelease:
      if (auto* chip = qobject_cast<QToolButton*>(watched)) {
        if (drag(*chip, static_cast<const QMouseEvent&>(*event))) return true;
      }
      break;
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

void ModelChips::showModels() {
  const std::vector<OpenedModel>& all = workspace_.models().all();
  setVisible(!all.empty());
  while (chips_.size() > all.size()) {
    // A chip may be the sender of the signal being handled, so it is deleted later.
    chips_.back()->hide();
    flow_->removeWidget(chips_.back());
    chips_.back()->deleteLater();
    chips_.pop_back();
  }
  flow_->removeWidget(add_);
  while (chips_.size() < all.size()) {
    addChip();
    flow_->addWidget(chips_.back());
  }
  flow_->addWidget(add_);
  if (all.empty()) return;
  std::vector<const OpenedModel*> models;
  for (const OpenedModel& model : all) models.push_back(&model);
  QStringList names;
  for (const QString& name : namesBeside(models)) names += name;
  // All chips stand in one line as long as that leaves something of their names.
  const QFontMetricsF metrics(font());
  double used = 2 * lineMargin + add_->sizeHint().width();
  for (const OpenedModel& model : all) {
    used += metrics.horizontalAdvance(titleOf(model.summary().mechanism) + captionSeparator) +
            marginsOfText + chipGap;
  }
  const double room = (width() - used) / static_cast<double>(all.size());
  QStringList mechanisms;
  for (const OpenedModel& model : all) mechanisms += titleOf(model.summary().mechanism);
  const bool mechanismsTell = QSet<QString>(mechanisms.begin(), mechanisms.end()).size() ==
                              static_cast<qsizetype>(all.size());
  const QStringList shown = shownNames(names, metrics, std::clamp(room, narrowestName, widestName));
  std::vector<QString> texts;
  double allTexts = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto index = static_cast<qsizetype>(i);
    const QString& mechanism = mechanisms[index];
    const bool isTold = mechanismsTell && room < narrowestTelling && shown[index] != names[index];
    texts.push_back(isTold ? mechanism : mechanism + captionSeparator + shown[index]);
    allTexts += metrics.horizontalAdvance(texts.back()) + marginsOfText + chipGap;
  }
  // Many names would take the room of the page, and be elided where they differ.
  if (allTexts + add_->sizeHint().width() > mostLines * (width() - 2 * lineMargin)) {
    for (std::size_t i = 0; i < all.size(); ++i) texts[i] = QString::number(i + 1);
  }
  const std::vector<std::size_t> heard = workspace_.models().heard();
  const std::vector<QColor> colors = curveColors(static_cast<int>(heard.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto index = static_cast<int>(i);
    const auto place = std::ranges::find(heard, i);
    const bool isHeard = place != heard.end();
    drawChip(index, texts[i],
             isHeard ? colors[static_cast<std::size_t>(place - heard.begin())] : QColor());
    const QString name = mechanisms[index] + captionSeparator + names[index];
    chips_[i]->setAccessibleName(isHeard ? name : tr("%1, left out of comparisons").arg(name));
    chips_[i]->setToolTip(name + u'\n' + QString::fromStdString(all[i].request.path));
    if (isHeard) continue;
    chips_[i]->setToolTip(chips_[i]->toolTip() + u'\n' +
                          tr("Left out of Compare and where all models are shown"));
  }
}

void ModelChips::drawChip(int index, const QString& text, const QColor& color) {
  QToolButton& chip = *chips_[static_cast<std::size_t>(index)];
  chip.setText(onButton(text));
  const bool isSilenced = !color.isValid();
  chip.setIcon(dot(isSilenced ? palette().color(QPalette::Mid) : color, devicePixelRatioF()));
  if (chip.property("silenced").toBool() != isSilenced) {
    chip.setProperty("silenced", isSilenced);
    // A style sheet looks at properties once.
    chip.style()->unpolish(&chip);
    chip.style()->polish(&chip);
  }
  chip.setChecked(index == workspace_.models().currentIndex());
}

void ModelChips::fillMenu(QMenu& menu, int index) {
  menu.clear();
  if (index >= static_cast<int>(workspace_.models().all().size())) return;
  connect(menu.addAction(tr("Show")), &QAction::triggered, this,
          [this, index] { workspace_.models().setCurrent(index); });
  connect(menu.addAction(tr("Rename…")), &QAction::triggered, this,
          [this, index] { Q_EMIT renameWanted(index); });
  const OpenedModel& opened = workspace_.models().all()[static_cast<std::size_t>(index)];
  const ModelSummary& summary = opened.summary();
  QAction* silence = menu.addAction(tr("Leave out of comparisons"));
  silence->setCheckable(true);
  silence->setChecked(opened.marks.isSilenced);
  silence->setToolTip(tr("Leave this model out of Compare and where all models are shown"));
  const std::vector<std::size_t> heard = workspace_.models().heard();
  const bool isAlone = heard.size() == 1 && heard.front() == static_cast<std::size_t>(index);
  if (isAlone) silence->setToolTip(tr("No other model is compared"));
  silence->setEnabled(!isAlone || opened.marks.isSilenced);
  connect(silence, &QAction::triggered, this,
          [this, index](bool on) { workspace_.models().silence(index, on); });
  QAction* names = menu.addAction(tr("Class names…"));
  names->setEnabled(summary.classes > 0 && !summary.isLive);
  connect(names, &QAction::triggered, this, [this, index] { Q_EMIT classNamesWanted(index); });
  QMenu* other = menu.addMenu(tr("Open beside it with"));
  for (const std::string& name : summary.alternatives) {
    if (name == summary.mechanism) continue;
    connect(other->addAction(titleOf(name)), &QAction::triggered, this, [this, index, name] {
      const OpenedModel& model = workspace_.models().all()[static_cast<std::size_t>(index)];
      workspace_.queue().openBeside(workspace_.queue().requestWith(model, name),
                                    {.layer = model.layer, .inputSize = model.wantedSize()});
    });
  }
  other->setEnabled(!other->isEmpty());
  menu.addSeparator();
  const auto addMove = [&](const QString& text, int to) {
    QAction* move = menu.addAction(text);
    move->setEnabled(to >= 0 && to < static_cast<int>(workspace_.models().all().size()));
    connect(move, &QAction::triggered, this,
            [this, index, to] { workspace_.models().move(index, to); });
  };
  addMove(tr("Move left"), index - 1);
  addMove(tr("Move right"), index + 1);
  menu.addSeparator();
  connect(menu.addAction(tr("Close")), &QAction::triggered, this,
          [this, index] { workspace_.queue().close(index); });
}

void ModelChips::addLibrary(QMenu& menu) {
  if (!knowsLibrary_ && library_) inTheBox_ = library_();
  knowsLibrary_ = true;
  if (inTheBox_.empty()) return;
  menu.addSection(tr("In the box"));
  for (const LibraryModel& model : inTheBox_) {
    const QStringList about{titleOf(model.mechanism.toStdString()), model.name, model.accuracy};
    QAction* action = menu.addAction(onButton(about.join(captionSeparator)));
    action->setToolTip(model.path);
    connect(action, &QAction::triggered, this,
            [this, path = model.path] { Q_EMIT modelWanted(path); });
  }
}

void ModelChips::listModels(const QPoint& globalPlace) {
  delete list_;
  list_ = new QMenu(this);
  list_->setToolTipsVisible(true);
  addLibrary(*list_);
  const QStringList recent = recent_ ? recent_() : QStringList();
  if (!recent.isEmpty()) list_->addSection(tr("Opened lately"));
  for (const QString& path : recent) {
    QAction* action = list_->addAction(onButton(shortened(QFileInfo(path).fileName())));
    action->setToolTip(path);
    connect(action, &QAction::triggered, this, [this, path] { Q_EMIT modelWanted(path); });
  }
  list_->addSeparator();
  connect(list_->addAction(tr("A file…")), &QAction::triggered, this, &ModelChips::fileWanted);
  list_->popup(globalPlace);
}

void ModelChips::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) showModels();
}

void ModelChips::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  const bool isOfLetters = event->type() == QEvent::FontChange;
  if (isOfLetters || event->type() == QEvent::PaletteChange) showModels();
}

}  // namespace softscope
