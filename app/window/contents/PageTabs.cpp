#include "app/window/contents/PageTabs.h"

#include "app/window/contents/PageExplanation.h"
#include "app/window/contents/WindowPages.h"
#include "widgets/controls/NameText.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <array>

namespace softscope {

/// Tabs that tell how wide each would be, whether or not it is visible.
class MeasuredTabBar : public QTabBar {
 public:
  using QTabBar::QTabBar;
  using QTabBar::tabSizeHint;

  void showTab(int index, bool isShown) {
    // Asked for what is so already, Qt 6.4 forgets that it has to lay tabs out.
    if (isTabVisible(index) != isShown) setTabVisible(index, isShown);
  }
};

namespace {

struct PageGroup {
  const char* title;
  const char* tip;
};

/// Groups in the order of AnalysisGroup; pages without a group come last.
constexpr std::array<PageGroup, 4> pageGroups{
    {{QT_TRANSLATE_NOOP("softscope::PageTabs", "Maps"),
      QT_TRANSLATE_NOOP("softscope::PageTabs", "What heads look at, on the picture")},
     {QT_TRANSLATE_NOOP("softscope::PageTabs", "Mathematics"),
      QT_TRANSLATE_NOOP("softscope::PageTabs", "The matrices behind the maps")},
     {QT_TRANSLATE_NOOP("softscope::PageTabs", "Evidence"),
      QT_TRANSLATE_NOOP("softscope::PageTabs", "How much maps matter, and what they cost")},
     {QT_TRANSLATE_NOOP("softscope::PageTabs", "Models"),
      QT_TRANSLATE_NOOP("softscope::PageTabs", "The models in the box")}}};

/// Returns the index of a page's group; unknown pages belong to the evidence.
std::size_t groupOf(const QString& name) {
  for (const WindowPage& page : windowPages()) {
    if (page.name != name) continue;
    return page.group ? static_cast<std::size_t>(*page.group) : pageGroups.size() - 1;
  }
  return static_cast<std::size_t>(AnalysisGroup::Evidence);
}

MeasuredTabBar* plainBar(const QString& name, QWidget* parent) {
  auto* bar = new MeasuredTabBar(parent);
  bar->setAccessibleName(name);
  bar->setDrawBase(false);
  bar->setExpanding(false);
  bar->setFocusPolicy(Qt::TabFocus);
  // A row without its scroll buttons may be narrower than its tabs, which then are in the menu.
  bar->setUsesScrollButtons(false);
  bar->setMinimumWidth(1);
  return bar;
}

}  // namespace

PageTabs::PageTabs(const QActionGroup& actions, QWidget* parent)
    : QWidget(parent),
      groups_(plainBar(tr("Groups of pages"), this)),
      pages_(plainBar(tr("Pages"), this)),
      more_(new QToolButton(this)),
      tabs_(pageGroups.size()),
      last_(pageGroups.size()) {
  groups_->setObjectName(QStringLiteral("groups"));
  pages_->setObjectName(QStringLiteral("pages"));
  pages_->setContextMenuPolicy(Qt::CustomContextMenu);
  for (const QAction* action : actions.actions()) {
    const QString page = action->data().toString();
    tabs_[groupOf(page)].push_back({page, menuText(action->text()), action});
    connect(action, &QAction::changed, this, &PageTabs::showTips);
  }
  for (std::size_t i = 0; i < tabs_.size(); ++i) {
    const PageGroup& group = pageGroups[i];
    groups_->addTab(tr(group.title));
    groups_->setTabToolTip(static_cast<int>(i), tr(group.tip));
    groups_->setTabVisible(static_cast<int>(i), !tabs_[i].empty());
    if (!tabs_[i].empty()) last_[i] = tabs_[i].front().page;
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(groups_);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(pages_);
  row->addWidget(more_);
  row->addStretch(1);
  column->addLayout(row);
  more_->setText(QStringLiteral("»"));
  more_->setAutoRaise(true);
  more_->setFocusPolicy(Qt::TabFocus);
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setAccessibleName(tr("More pages"));
  more_->setProperty("more", true);
  more_->setMenu(new QMenu(more_));
  connect(more_->menu(), &QMenu::aboutToShow, this, &PageTabs::fillMore);
  showGroup(0);
  connect(groups_, &QTabBar::currentChanged, this,
          [this](int group) { Q_EMIT chosen(last_[static_cast<std::size_t>(group)]); });
  connect(pages_, &QTabBar::currentChanged, this, [this](int index) {
    if (index >= 0) Q_EMIT chosen(pages_->tabData(index).toString());
  });
  connect(pages_, &QWidget::customContextMenuRequested, this, [this](const QPoint& place) {
    const int index = pages_->tabAt(place);
    if (index < 0) return;
    pages_->setCurrentIndex(index);
    Q_EMIT menuWanted(pages_->mapToGlobal(place));
  });
}

void PageTabs::showGroup(int group) {
  const QSignalBlocker quiet(pages_);
  while (pages_->count() > 0) pages_->removeTab(0);
  for (const Tab& tab : tabs_[static_cast<std::size_t>(group)]) {
    const int index = pages_->addTab(tab.title);
    pages_->setTabData(index, tab.page);
  }
  showTips();
  // A group with a single page needs no second row.
  pages_->setVisible(pages_->count() > 1);
  fit();
}

void PageTabs::fit() {
  fitGroups();
  const QSignalBlocker quiet(pages_);
  std::vector<int> widths;
  int all = 0;
  for (int i = 0; i < pages_->count(); ++i) {
    // A tab that is hidden would have no width.
    pages_->showTab(i, true);
    widths.push_back(pages_->tabSizeHint(i).width());
    all += widths.back();
  }
  pages_->updateGeometry();
  const bool fits = all <= width();
  more_->setHidden(fits || pages_->count() < 2);
  if (fits || pages_->count() < 2) return;
  const int front = pages_->currentIndex();
  int room = width() - more_->sizeHint().width() - widths[static_cast<std::size_t>(front)];
  QStringList others;
  for (int i = 0; i < pages_->count(); ++i) {
    if (i == front) continue;
    room -= widths[static_cast<std::size_t>(i)];
    pages_->showTab(i, room >= 0);
    if (room < 0) others += pages_->tabText(i);
  }
  more_->setToolTip(tr("More pages: %1").arg(others.join(QStringLiteral(", "))));
}

void PageTabs::fitGroups() {
  const QSignalBlocker quiet(groups_);
  const QFontMetrics metrics = groups_->fontMetrics();
  std::vector<int> titles;
  int needed = 0;
  for (int i = 0; i < groups_->count(); ++i) {
    const QString title = tr(pageGroups[static_cast<std::size_t>(i)].title);
    groups_->setTabText(i, title);
    groups_->setAccessibleTabName(i, title);
    if (!groups_->isTabVisible(i)) continue;
    needed += groups_->tabSizeHint(i).width();
    titles.push_back(metrics.horizontalAdvance(title));
  }
  if (needed <= width() || titles.empty()) return;
  // The longest titles are shortened, to one width.
  const auto saved = [&titles](int most) {
    int pixels = 0;
    for (const int title : titles) pixels += std::max(0, title - most);
    return pixels;
  };
  int most = *std::max_element(titles.begin(), titles.end());
  while (most > 0 && needed - saved(most) > width()) --most;
  for (int i = 0; i < groups_->count(); ++i) {
    groups_->setTabText(i, metrics.elidedText(groups_->tabText(i), Qt::ElideRight, most));
  }
}

void PageTabs::fillMore() {
  QMenu& menu = *more_->menu();
  menu.clear();
  for (int i = 0; i < pages_->count(); ++i) {
    if (pages_->isTabVisible(i)) continue;
    QAction* action = menu.addAction(pages_->tabText(i));
    action->setToolTip(pages_->tabToolTip(i));
    connect(action, &QAction::triggered, this,
            [this, page = pages_->tabData(i).toString()] { Q_EMIT chosen(page); });
  }
}

void PageTabs::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fit();
}

void PageTabs::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  const bool changesWidths =
      event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange;
  if (changesWidths) fit();
}

void PageTabs::showTips() {
  for (const auto& group : tabs_) {
    for (const Tab& tab : group) {
      for (int i = 0; i < pages_->count(); ++i) {
        if (pages_->tabData(i).toString() != tab.page) continue;
        const QString keys = tab.action->shortcut().toString(QKeySequence::NativeText);
        pages_->setTabToolTip(i, pageTip(tab.page, keys));
      }
    }
  }
}

void PageTabs::setCurrent(const QString& page) {
  const auto group = static_cast<int>(groupOf(page));
  const QSignalBlocker quietGroups(groups_);
  const QSignalBlocker quietPages(pages_);
  if (pages_->count() == 0 || groupOf(pages_->tabData(0).toString()) != groupOf(page))
    showGroup(group);
  groups_->setCurrentIndex(group);
  for (int i = 0; i < pages_->count(); ++i) {
    if (pages_->tabData(i).toString() != page) continue;
    pages_->setCurrentIndex(i);
    last_[static_cast<std::size_t>(group)] = page;
  }
  fit();
}

}  // namespace softscope
