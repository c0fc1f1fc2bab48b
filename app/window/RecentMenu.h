#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>

class QMenu;

namespace softscope {

/// Returns the folder of the latest path; empty if there is none.
QString folderOf(const QStringList& recent);

/// Fills a menu with one entry per path, shown by file name, which calls `open` with the path;
/// disables the menu if there are none.
void fillRecentMenu(QMenu& menu, const QStringList& paths,
                    const std::function<void(const QString&)>& open);

}  // namespace softscope
