#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/settings/ViewSettings.h"

#include <QtGui/QIcon>
#include <QtGui/QPalette>

class QApplication;
class QWidget;

namespace softscope {

/// Light or dark, as the desktop's own palette is; ask before applyTheme() replaces it.
ViewSettings::Theme systemTheme();

/// Gives the whole application the colours of a theme, on Qt's Fusion style.
void applyTheme(QApplication& application, ViewSettings::Theme theme);

/// Gives the whole application letters of `scale` times the size of `font`.
void setTextSize(QApplication& application, const QFont& font, double scale);

/// Colours and letters for drawings inside `widget`.
FigureStyle screenStyle(const QWidget& widget);

/// Less prominent text.
QColor mutedText(const QPalette& palette);

/// One of resources/icons in the palette's text colour.
QIcon themedIcon(const QString& name, const QPalette& palette);

}  // namespace softscope
