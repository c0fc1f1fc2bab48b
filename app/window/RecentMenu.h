#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>

class QMenu;

namespace softscope {

/// Returns the remembered folder, or that of the user's documents if no folder is remembered or it
/// no longer exists. Dialogs begin there, and never in the folder in which the process happens to
/// run.
QString usersFolder(const QString& remembered);

/// Returns the folder of the latest path, or that of the user's documents; see usersFolder().
QString folderOf(const QStringList& recent);

/// Fills a menu with one entry per path, shown by file name, which calls `open` with the path;
/// disables the menu if there are none. A file that turns out to be gone leaves the list, which
/// must live as long as the menu.
void fillRecentMenu(QMenu& menu, QStringList& paths,
                    const std::function<void(const QString&)>& open);

/// Fills a menu with the pictures and models in these folders of the program when it is opened.
struct Samples {
  QString pictures;
  QString models;
  std::function<void(const QString& path)> openPicture;
  std::function<void(const QString& path)> openModel;
};
void offerSamples(QMenu& menu, const Samples& samples);

}  // namespace softscope
