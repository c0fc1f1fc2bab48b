#pragma once

#include "core/text/Words.h"

#include <QtCore/QRegularExpression>
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

/// Returns a name of at most 60 letters: a longer one without its middle. A menu is as wide as its
/// longest entry.
inline QString shortened(const QString& name) {
  constexpr qsizetype most = 60;
  if (name.size() <= most) return name;
  return name.left(most / 2) + QChar(u'…') + name.right(most / 2 - 1);
}

/// Returns a text in which no line breaks inside a name: between two plus signs, as in `SOFT++`, or
/// behind a dot, as in `blocks.3`.
inline QString unbroken(QString text) {
  static const QRegularExpression inName(QStringLiteral("(?<=\\w\\.)(?=\\w)|(?<=\\+)(?=\\+)"));
  return text.replace(inName, QStringLiteral("\u2060"));
}

/// Returns a text in which lines may break at any letter of a word with more than 30. A label is
/// never narrower than the longest piece that does not break, and a name in a file may have any
/// length.
inline QString breakable(const QString& text) {
  static const QRegularExpression pieces(QStringLiteral("\\S{31,}|\\S+|\\s+"));
  static const QRegularExpression letter(QStringLiteral("(\\X)"));
  QString broken;
  for (auto piece = pieces.globalMatch(text); piece.hasNext();) {
    QString word = piece.next().captured();
    constexpr qsizetype most = 30;
    if (word.size() > most) word.replace(letter, QStringLiteral("\\1\u200B"));
    broken += word;
  }
  return broken;
}

/// Returns a name as that of a file, by the rule of asFileName() in core/text/Words.h.
inline QString asFileName(const QString& name) {
  return QString::fromStdString(asFileName(name.toStdString()));
}

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
