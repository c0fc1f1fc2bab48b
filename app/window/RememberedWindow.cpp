#include "app/window/RememberedWindow.h"

#include "app/window/WindowOptions.h"
#include "core/image/ColorMap.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QEvent>
#include <QtGui/QScreen>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QStyle>

#include <chrono>
#include <utility>

namespace softscope {

RememberedView::RememberedView(const WindowOptions& options, WindowSettings& settings)
    : options_(options), settings_(settings), before_(settings) {
  if (options.dpi) settings.figure.dpi = *options.dpi;
}

void RememberedView::restore(Workspace& workspace) const {
  ViewSettings settings = settings_.view;
  if (options_.colorMap) {
    const ColorMap& chosen = colorMap(*options_.colorMap);
    (chosen.diverging ? settings.divergingColorMap : settings.colorMap) = chosen.name;
  }
  ViewChoice& view = workspace.view();
  view.set(settings);
  view.setOverHeads(options_.overHeads.value_or(settings_.overHeads));
  view.setOnlyHead(options_.onlyHead);
  workspace.queue().setFirstInputSize(options_.inputSize);
  workspace.layers().setFirst(options_.layer);
  if (options_.direction) workspace.layers().setDirection(*options_.direction);
}

WindowSettings RememberedView::remembered(const Workspace& workspace) const {
  const auto kept = [](const auto& said, const auto& now, const auto& before) {
    return said && *said == now ? before : now;
  };
  const ViewChoice& view = workspace.view();
  const ViewSettings& now = view.settings();
  WindowSettings remembered = settings_;
  remembered.view = now;
  remembered.view.colorMap = kept(options_.colorMap, now.colorMap, before_.view.colorMap);
  remembered.view.divergingColorMap =
      kept(options_.colorMap, now.divergingColorMap, before_.view.divergingColorMap);
  remembered.overHeads = kept(options_.overHeads, view.overHeads(), before_.overHeads);
  remembered.figure.dpi = kept(options_.dpi, settings_.figure.dpi, before_.figure.dpi);
  return remembered;
}

namespace {

constexpr int layoutVersion = 1;
/// A window that is being dragged changes with every frame.
constexpr auto patience = std::chrono::milliseconds(500);

bool changesPlace(QEvent::Type type) {
  switch (type) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::WindowStateChange:
    case QEvent::Hide:
    case QEvent::Show:
      return true;
    default:
      return false;
  }
}

}  // namespace

RememberedWindow::RememberedWindow(QMainWindow& window, const WindowSettings& settings,
                                   QObject* parent)
    : QObject(parent), window_(window), written_(settings) {
  timer_.setSingleShot(true);
  timer_.setInterval(patience);
  connect(&timer_, &QTimer::timeout, this, &RememberedWindow::due);
  window.installEventFilter(this);
}

void RememberedWindow::restoreSize() {
  // The frame is not known before the window is shown.
  const QStyle& style = *window_.style();
  const int side = style.pixelMetric(QStyle::PM_MdiSubWindowFrameWidth, nullptr, &window_);
  const int title = style.pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window_);
  const QSize frame(2 * side, title + 2 * side);
  window_.resize(QSize(1280, 800).boundedTo(window_.screen()->availableSize() - frame));
  if (!written_.geometry.isEmpty()) window_.restoreGeometry(written_.geometry);
}

bool RememberedWindow::restorePanels() {
  watchPanels();
  return !written_.layout.isEmpty() && window_.restoreState(written_.layout, layoutVersion);
}

void RememberedWindow::watchPanels() {
  for (QDockWidget* panel : window_.findChildren<QDockWidget*>()) {
    panel->installEventFilter(this);
    connect(panel, &QDockWidget::dockLocationChanged, this, &RememberedWindow::noteChange);
  }
}

void RememberedWindow::noteChange() {
  if (!timer_.isActive()) timer_.start();
}

bool RememberedWindow::eventFilter(QObject* watched, QEvent* event) {
  if (changesPlace(event->type()) && window_.isVisible()) noteChange();
  return QObject::eventFilter(watched, event);
}

void RememberedWindow::write(WindowSettings settings) {
  timer_.stop();
  settings.geometry = window_.saveGeometry();
  settings.layout = window_.saveState(layoutVersion);
  if (writeChanges(written_, settings)) written_ = std::move(settings);
}

}  // namespace softscope
