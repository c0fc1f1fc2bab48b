#pragma once

#include <QtCore/QString>

namespace softscope {

/// Returns an action's text outside its menu: without the mnemonic's ampersand and without the dots
/// at the end that announce a dialog. A doubled ampersand becomes a single one.
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
