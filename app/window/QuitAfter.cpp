#include "app/window/QuitAfter.h"

#include "app/window/MainWindow.h"
#include "widgets/views/HeadPanelView.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QTimer>

namespace softscope {

const std::vector<std::string>& QuitAfter::steps() {
  static const std::vector<std::string> names = {"paint", "answer"};
  return names;
}

QuitAfter::QuitAfter(const std::string& step) : waitsForAnswer_(step == steps().back()) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool QuitAfter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Paint) return false;
  const bool painted = waitsForAnswer_ ? qobject_cast<HeadPanelView*>(watched) != nullptr
                                       : qobject_cast<MainWindow*>(watched) != nullptr;
  // When the loop comes back, all that belongs to this paint is on the screen.
  if (painted) QTimer::singleShot(0, QCoreApplication::instance(), &QCoreApplication::quit);
  return false;
}

}  // namespace softscope
