#include "app/window/QuitAfter.h"

#include "app/window/MainWindow.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QTimer>

#include <cstdio>

namespace softscope {

const std::vector<std::string>& QuitAfter::steps() {
  static const std::vector<std::string> names = {"paint", "answer"};
  return names;
}

QuitAfter::QuitAfter(const std::string& step, MainWindow& window)
    : window_(window), waitsForAnswer_(step == steps().back()) {
  window.setAsksBeforeClosing(false);
  QCoreApplication::instance()->installEventFilter(this);
  if (!waitsForAnswer_) return;
  connect(&window.workspace().worker(), &Worker::busyChanged, this, &QuitAfter::endWithoutAnswer);
  connect(&window, &MainWindow::begun, this, &QuitAfter::endWithoutAnswer, Qt::QueuedConnection);
  QTimer::singleShot(0, this, &QuitAfter::endWithoutAnswer);
}

void QuitAfter::endWithoutAnswer() {
  if (!window_.hasBegun()) return;
  Workspace& workspace = window_.workspace();
  if (workspace.worker().isBusy() || workspace.models().anyIsShown()) return;
  std::fputs("softscope: nothing answers: the window has no picture, or no model that saw it\n",
             stderr);
  QCoreApplication::exit(1);
}

bool QuitAfter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Paint) return false;
  const bool painted = waitsForAnswer_ ? qobject_cast<HeadPanelView*>(watched) != nullptr
                                       : qobject_cast<MainWindow*>(watched) != nullptr;
  if (!painted) return false;
  // Once the event loop returns, everything that belongs to this paint is on the screen.
  QTimer::singleShot(0, this, [this] {
    std::puts(steps()[waitsForAnswer_ ? 1 : 0].c_str());
    std::fflush(stdout);
    QCoreApplication::quit();
  });
  return false;
}

}  // namespace softscope
