#pragma once

#include <QtCore/QString>

namespace softscope {

/// A name as the text of a button, a tab or a menu's entry, where an ampersand alone would mark a
/// key and be left out.
inline QString onButton(QString name) {
  return name.replace(u'&', QStringLiteral("&&"));
}

/// A name as part of a window's title, where [*] alone would stand for unsaved changes and be left
/// out.
inline QString inTitle(QString name) {
  return name.replace(QStringLiteral("[*]"), QStringLiteral("[*][*]"));
}

}  // namespace softscope
