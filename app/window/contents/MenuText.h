#pragma once

#include <QtCore/QString>

namespace softscope {

/// What an action is called outside its menu: without the mark of its letter and the dots that say
/// that it asks for more.
inline QString menuText(QString text) {
  return text.remove(u'&').remove(u'…');
}

}  // namespace softscope
