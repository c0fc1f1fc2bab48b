#include "app/window/contents/WindowDocks.h"

#include "widgets/controls/ScrolledContent.h"

#include <QtCore/QEvent>
#include <QtGui/QAction>
#include <QtGui/QGuiApplication>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLayout>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QStyle>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace softscope {
namespace {

/// Padding around a title's text, in pixels.
constexpr int titlePadding = 12;
/// Height of letters, in pixels, for which the docks' usual widths are made, and how many times
/// wider the docks become at most for larger ones.
constexpr double usualLetters = 18;
constexpr double widestLetters = 1.35;
/// In windows narrower than this, in pixels, the docks leave more of the width to the pages.
constexpr int narrowWindow = 1000;
/// If there is room for fewer rows of layers, the right docks are tabs instead of a column.
constexpr int fewestLayers = 5;

const QString widths = QStringLiteral("widths");
const QString pictureHeight = QStringLiteral("picture");
const QString controlHeights = QStringLiteral("controls");

/// Makes the scroll area at least as wide as its controls need.
void keepWhole(QScrollArea& scroll) {
  scroll.setMinimumWidth(scroll.widget()->minimumSizeHint().width() +
                         scroll.verticalScrollBar()->sizeHint().width());
}

/// Wraps a panel of controls, which may be taller than the window, in a scroll area.
QScrollArea* scrolling(QWidget* content, const QString& title) {
  auto* scroll = new ScrolledPanel(title, content);
  keepWhole(*scroll);
  return scroll;
}

/// Returns the height of a dock's title, with some space below it and the line between two docks.
int titleHeight(const QWidget& dock) {
  return dock.fontMetrics().height() * 4 / 3 + titlePadding;
}

/// Returns the height at which a dock shows all that it holds, at the width that it has.
int naturalHeight(const QDockWidget& dock) {
  const auto* scroll = qobject_cast<const QScrollArea*>(dock.widget());
  const QWidget* content = scroll ? scroll->widget() : dock.widget();
  const QLayout* layout = content->layout();
  const int height = layout && layout->hasHeightForWidth()
                         ? layout->totalHeightForWidth(dock.widget()->width())
                         : content->sizeHint().height();
  return height + titleHeight(dock);
}

/// Calls a function when the user drags the edge of a dock, with the directions in which its size
/// changes.
class EdgeListener : public QObject {
 public:
  using Dragged = std::function<void(Qt::Orientations)>;

  EdgeListener(QDockWidget& dock, Dragged dragged)
      : QObject(&dock),
        window_(dock.window()),
        size_(window_->size()),
        dragged_(std::move(dragged)) {
    dock.installEventFilter(this);
  }

  bool eventFilter(QObject* dock, QEvent* event) override {
    if (event->type() == QEvent::Resize) {
      const bool isByWindow = size_ != window_->size();
      size_ = window_->size();
      const auto& resize = static_cast<const QResizeEvent&>(*event);
      Qt::Orientations changed;
      changed.setFlag(Qt::Horizontal, resize.size().width() != resize.oldSize().width());
      changed.setFlag(Qt::Vertical, resize.size().height() != resize.oldSize().height());
      if (!isByWindow && QGuiApplication::mouseButtons() != Qt::NoButton) dragged_(changed);
    }
    return QObject::eventFilter(dock, event);
  }

 private:
  QWidget* window_;
  QSize size_;
  Dragged dragged_;
};

/// Calls a function after the layout of a widget has changed, as it does when rows come and go and
/// when it gets another width.
class LayoutListener : public QObject {
 public:
  LayoutListener(QWidget& widget, std::function<void()> changed)
      : QObject(&widget), changed_(std::move(changed)) {
    widget.installEventFilter(this);
  }

  bool eventFilter(QObject* widget, QEvent* event) override {
    const auto isOtherWidth = [event] {
      const auto& resize = static_cast<const QResizeEvent&>(*event);
      return resize.size().width() != resize.oldSize().width();
    };
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show ||
        (event->type() == QEvent::Resize && isOtherWidth())) {
      QMetaObject::invokeMethod(this, changed_, Qt::QueuedConnection);
    }
    return QObject::eventFilter(widget, event);
  }

 private:
  std::function<void()> changed_;
};

}  // namespace

WindowDocks::WindowDocks(QMainWindow& window, const DockContents& contents, QMenu& menu)
    : window_(window),
      pictureHeight_(contents.pictureHeight),
      dragged_{widths, pictureHeight, controlHeights} {
  const auto text = [](const char* title) { return QMainWindow::tr(title); };
  window.setDockNestingEnabled(true);
  window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  picture_ = add("picture", text("Picture"), contents.picture, Qt::LeftDockWidgetArea, menu);
  predictions_ =
      add("predictions", text("Predictions"), contents.predictions, Qt::LeftDockWidgetArea, menu);
  model_ = add("model", text("Model"), scrolling(contents.model, text("Model")),
               Qt::RightDockWidgetArea, menu);
  layers_ = add("layers", text("Layers"), contents.layers, Qt::RightDockWidgetArea, menu);
  view_ = add("view", text("View"), scrolling(contents.view, text("View")), Qt::RightDockWidgetArea,
              menu);
  // These live as long as the panels.
  new LayoutListener(*contents.model, [this] { fitControls(); });
  new LayoutListener(*contents.view, [this] { fitControls(); });
  new LayoutListener(*contents.picture, [this] { fitPicture(); });
  new EdgeListener(*picture_,
                   [this](Qt::Orientations changed) { noteDragged(changed, pictureHeight); });
  new EdgeListener(*layers_,
                   [this](Qt::Orientations changed) { noteDragged(changed, controlHeights); });
}

QStringList WindowDocks::dragged() const {
  return dragged_;
}

void WindowDocks::setDragged(const QStringList& names) {
  dragged_ = names;
}

void WindowDocks::setStackedForRoom(bool stacked) {
  stackedForRoom_ = stacked;
}

void WindowDocks::unstackIfRoom() {
  const bool tabs = window_.tabifiedDockWidgets(layers_).size() == 2;
  if (!stackedForRoom_ || (tabs && !fitColumn())) return;
  stackedForRoom_ = false;
  // If the user has separated them by hand, keep that choice.
  if (tabs) arrangeColumn();
}

void WindowDocks::noteDragged(Qt::Orientations changed, const QString& height) {
  if (changed & Qt::Horizontal && !dragged_.contains(widths)) dragged_ += widths;
  if (changed & Qt::Vertical && !dragged_.contains(height)) dragged_ += height;
}

QDockWidget* WindowDocks::add(const char* name, const QString& title, QWidget* content,
                              Qt::DockWidgetArea area, QMenu& menu) {
  auto* dock = new QDockWidget(title, &window_);
  dock->setObjectName(QLatin1String(name));
  dock->setAccessibleName(title);
  dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
  dock->setWidget(content);
  window_.addDockWidget(area, dock);
  dock->toggleViewAction()->setObjectName(QLatin1String("panel-") + QLatin1String(name));
  menu.addAction(dock->toggleViewAction());
  // A dock that is closed leaves its room to the others.
  QObject::connect(dock->toggleViewAction(), &QAction::toggled, &lifetime_,
                   [this] { fitHeightsLater(); });
  return dock;
}

std::vector<QDockWidget*> WindowDocks::openControls() const {
  std::vector<QDockWidget*> open{model_, layers_, view_};
  std::erase_if(open, [](const QDockWidget* dock) { return dock->isHidden(); });
  return open;
}

bool WindowDocks::fitColumn() const {
  // A header, and rows with some space around their text.
  const int layers = (fewestLayers + 1) * layers_->fontMetrics().height() * 3 / 2;
  int needed = 0;
  for (const QDockWidget* dock : openControls()) {
    needed += dock == layers_ ? layers + titleHeight(*dock) : naturalHeight(*dock);
  }
  return roomOfColumn() >= needed;
}

int WindowDocks::roomOfColumn() const {
  // Docks are as high as the pages, because menus and status line take their part of the window.
  const int lines = window_.style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent);
  const auto open = static_cast<int>(openControls().size());
  return window_.centralWidget()->height() - lines * std::max(0, open - 1);
}

void WindowDocks::fitLetters() {
  for (QDockWidget* dock : {model_, view_}) {
    keepWhole(*qobject_cast<QScrollArea*>(dock->widget()));
  }
  if (!dragged_.contains(widths)) shareWidth();
  fitStack();
  fitHeightsLater();
}

void WindowDocks::fitWindow(const QSize& before) {
  if (!dragged_.contains(widths) || isNarrow(before) != isNarrow(window_.size())) shareWidth();
  fitStack();
  const bool lower = window_.height() < before.height();
  if (lower && predictions_->height() < naturalHeight(*predictions_)) shareHeight();
  fitHeightsLater();
}

void WindowDocks::fitStack() {
  if (standInColumn() && !fitColumn()) {
    stack();
    stackedForRoom_ = true;
  } else {
    unstackIfRoom();
  }
}

void WindowDocks::fitHeightsLater() {
  // Once the docks have their new widths, on which the heights that they need depend.
  QMetaObject::invokeMethod(
      &lifetime_,
      [this] {
        fitPicture();
        fitControls();
      },
      Qt::QueuedConnection);
}

bool WindowDocks::isNarrow(const QSize& size) {
  return size.width() < narrowWindow;
}

bool WindowDocks::standInColumn() const {
  return std::ranges::all_of(openControls(), [this](QDockWidget* dock) {
    return window_.dockWidgetArea(dock) == Qt::RightDockWidgetArea &&
           window_.tabifiedDockWidgets(dock).isEmpty();
  });
}

void WindowDocks::stack() {
  window_.tabifyDockWidget(layers_, model_);
  window_.tabifyDockWidget(layers_, view_);
  QDockWidget* front = layers_;
  // The dock whose control has the focus stays in front, because the user is setting something.
  for (QDockWidget* dock : {model_, view_}) {
    if (dock->isAncestorOf(QApplication::focusWidget())) front = dock;
  }
  front->raise();
}

void WindowDocks::shareWidth() {
  const int width = window_.width();
  const bool narrow = isNarrow(window_.size());
  // With large letters the names of layers need more.
  const double letters =
      std::clamp(window_.fontMetrics().height() / usualLetters, 1.0, widestLetters);
  const int left = narrow ? width * 20 / 100 : std::min(width * 28 / 100, 420);
  const int right =
      narrow ? width * 27 / 100 : static_cast<int>(letters * std::min(width * 23 / 100, 320));
  window_.resizeDocks({picture_, layers_}, {left, right}, Qt::Horizontal);
}

bool WindowDocks::standOnTheLeft() const {
  const std::array docks{picture_, predictions_};
  return std::ranges::all_of(docks, [this](QDockWidget* dock) {
    return dock->isVisible() && window_.dockWidgetArea(dock) == Qt::LeftDockWidgetArea;
  });
}

void WindowDocks::shareHeight() {
  constexpr int leastPicture = 140;
  // So that the width decides how large the picture is, whatever stands below it.
  constexpr int slack = 12;
  const int predictions = naturalHeight(*predictions_);
  const int both =
      standOnTheLeft() ? picture_->height() + predictions_->height() : window_.height();
  const int most = std::max(leastPicture, both - predictions);
  const int shown = pictureHeight_(picture_->width());
  // Without a picture there is nothing to fit.
  const int picture =
      shown == 0 ? most : std::clamp(shown + titleHeight(*picture_) + slack, leastPicture, most);
  window_.resizeDocks({picture_, predictions_}, {picture, std::max(predictions, both - picture)},
                      Qt::Vertical);
}

void WindowDocks::fitPicture() {
  if (!dragged_.contains(pictureHeight) && standOnTheLeft()) shareHeight();
}

void WindowDocks::arrangeColumn() {
  for (QDockWidget* dock : {model_, layers_, view_}) {
    window_.addDockWidget(Qt::RightDockWidgetArea, dock, Qt::Vertical);
  }
  stackedForRoom_ = !fitColumn();
  if (stackedForRoom_) {
    stack();
    return;
  }
  shareColumn();
}

void WindowDocks::fitControls() {
  if (dragged_.contains(controlHeights)) return;
  // A model with more settings than the one before may leave too little to the layers.
  fitStack();
  if (standInColumn()) shareColumn();
}

void WindowDocks::shareColumn() {
  constexpr int lowestLayers = 120;
  const std::vector<QDockWidget*> open = openControls();
  QList<int> heights;
  qsizetype elastic = qsizetype(open.size()) - 1;
  int left = roomOfColumn();
  for (QDockWidget* dock : open) {
    if (dock == layers_) elastic = heights.size();
    heights += dock == layers_ ? lowestLayers : naturalHeight(*dock);
    left -= heights.last();
  }
  if (elastic >= 0) heights[elastic] += std::max(0, left);
  window_.resizeDocks(QList<QDockWidget*>(open.begin(), open.end()), heights, Qt::Vertical);
}

void WindowDocks::arrange() {
  for (QDockWidget* dock : {picture_, predictions_, model_, layers_, view_}) dock->show();
  for (QDockWidget* dock : {picture_, predictions_}) {
    window_.addDockWidget(Qt::LeftDockWidgetArea, dock, Qt::Vertical);
  }
  arrangeColumn();
  shareWidth();
  shareHeight();
  dragged_.clear();
  // Docks that were behind other tabs have no layout yet.
  fitHeightsLater();
}

}  // namespace softscope
