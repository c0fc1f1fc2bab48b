#pragma once

#include <QtCore/QString>

namespace softscope {

/// What an action is called outside its menu: without the mark of its letter and the dots at its
/// end that say that it asks for more. A doubled ampersand is one of a name.
inline QString menuText(const QString& text) {
  QString plain;
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (text[i] == u'&' && ++i == text.size()) break;
    plain += text[i];
  }
  if (plain.endsWith(u'…')) plain.chop(1);
  return plain;
}

}  // namespace softscope
