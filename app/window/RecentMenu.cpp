#include "app/window/RecentMenu.h"

#include "widgets/controls/NameText.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QStandardPaths>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>

#include <utility>

namespace softscope {
namespace {

void addFiles(QMenu& menu, const QString& folder, const QStringList& names,
              const std::function<void(const QString&)>& open) {
  if (folder.isEmpty() || !open) return;
  for (const QFileInfo& file : QDir(folder).entryInfoList(names, QDir::Files, QDir::Name)) {
    const QString path = file.filePath();
    QAction* action = menu.addAction(onButton(shortened(file.completeBaseName())));
    action->setToolTip(path);
    QObject::connect(action, &QAction::triggered, &menu, [open, path] { open(path); });
  }
}

}  // namespace

void offerSamples(QMenu& menu, const Samples& samples) {
  menu.setToolTipsVisible(true);
  QObject::connect(&menu, &QMenu::aboutToShow, &menu, [&menu, samples] {
    if (!menu.isEmpty()) return;
    menu.addSection(QMenu::tr("Pictures"));
    addFiles(menu, samples.pictures,
             {QStringLiteral("*.png"), QStringLiteral("*.jpg"), QStringLiteral("*.webp")},
             samples.openPicture);
    menu.addSection(QMenu::tr("Models in the box"));
    addFiles(menu, samples.models, {QStringLiteral("*.safetensors")}, samples.openModel);
  });
}

QString usersFolder(const QString& remembered) {
  if (!remembered.isEmpty() && QFileInfo(remembered).isDir()) return remembered;
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

QString folderOf(const QStringList& recent) {
  return usersFolder(recent.isEmpty() ? QString() : QFileInfo(recent.front()).path());
}

void fillRecentMenu(QMenu& menu, QStringList& paths,
                    const std::function<void(const QString&)>& open) {
  menu.clear();
  menu.setToolTipsVisible(true);
  menu.setEnabled(!paths.isEmpty());
  for (const QString& path : std::as_const(paths)) {
    QAction* action = menu.addAction(onButton(shortened(QFileInfo(path).fileName())));
    action->setToolTip(path);
    const auto forgetIfGone = [&menu, &paths, open, path] {
      if (QFileInfo::exists(path)) return;
      paths.removeAll(path);
      fillRecentMenu(menu, paths, open);
    };
    // Later, because filling the menu deletes the entry that is being triggered.
    QObject::connect(action, &QAction::triggered, &menu, forgetIfGone, Qt::QueuedConnection);
    QObject::connect(action, &QAction::triggered, &menu, [open, path] { open(path); });
  }
}

}  // namespace softscope
