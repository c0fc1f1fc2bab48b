#pragma once

#include <QtCore/QString>

namespace softscope {

/// Escapes a name for the text of a button, a tab or a menu entry, where a single ampersand would
/// mark a shortcut and be left out.
inline QString onButton(QString name) {
  return name.replace(u'&', QStringLiteral("&&"));
}

/// Escapes a name for a window's title, where a single [*] would stand for unsaved changes and be
/// left out.
inline QString inTitle(QString name) {
  return name.replace(QStringLiteral("[*]"), QStringLiteral("[*][*]"));
}

}  // namespace softscope
