#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <string>

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

/// Returns a text of the command line with its numbers as valueText() writes them, and with ×
/// between two sizes: `2.84×10⁻⁵ of 25 × 25` for `2.84e-05 of 25 x 25`. Names that contain a number
/// stay.
QString typesetText(const std::string& text);

/// Makes Qt and C write numbers in the English format, e.g. `2.1`, regardless of the computer's
/// locale. Call it after making the application, which would undo it.
void writeEnglishNumbers();

}  // namespace softscope
