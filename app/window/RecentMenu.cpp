#include "app/window/RecentMenu.h"

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
    // An ampersand alone would mark a key.
    QString name = QFileInfo(path).fileName();
    QAction* action = menu.addAction(name.replace(u'&', QStringLiteral("&&")));
    action->setToolTip(path);
    QObject::connect(action, &QAction::triggered, &menu, [open, path] { open(path); });
  }
}

}  // namespace softscope
