#include "app/window/RecentMenu.h"

#include "widgets/controls/NameText.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>

namespace softscope {

QString folderOf(const QStringList& recent) {
  return recent.isEmpty() ? QString() : QFileInfo(recent.front()).path();
}

void fillRecentMenu(QMenu& menu, const QStringList& paths,
                    const std::function<void(const QString&)>& open) {
  menu.clear();
  menu.setToolTipsVisible(true);
  menu.setEnabled(!paths.isEmpty());
  for (const QString& path : paths) {
    QAction* action = menu.addAction(onButton(QFileInfo(path).fileName()));
    action->setToolTip(path);
    QObject::connect(action, &QAction::triggered, &menu, [open, path] { open(path); });
  }
}

}  // namespace softscope
