#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

namespace softscope {

/// Separates the parts of a caption.
inline const QString captionSeparator = QStringLiteral(" · ");

/// Returns the parts of a caption with the separator between them, without those that are empty; a
/// sentence that others follow loses its full stop.
QString joinedCaption(QStringList parts);

/// Returns a text with a capital at its beginning, as a sentence has it. A name there stays as it
/// is: a word with more than small letters, or one that stands alone before a separator.
QString asSentence(QString text);

/// Formats a number for figures, with `digits` significant digits, powers of ten below 0.001 and
/// from a million on, and a true minus sign.
QString valueText(double value, int digits = 3);

/// Makes Qt and C write numbers in the English format, e.g. `2.1`, regardless of the computer's
/// locale. Call it after making the application, which would undo it.
void writeEnglishNumbers();

}  // namespace softscope
