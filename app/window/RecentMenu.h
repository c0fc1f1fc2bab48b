#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>

class QMenu;

namespace softscope {

/// The folder of the latest of some paths; empty if there is none.
QString folderOf(const QStringList& recent);

/// One entry per path, by file name, which `open` is called with; disabled without any.
void fillRecentMenu(QMenu& menu, const QStringList& paths,
                    const std::function<void(const QString&)>& open);

}  // namespace softscope
