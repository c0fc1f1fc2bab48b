#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/settings/ViewSettings.h"

#include <QtGui/QIcon>
#include <QtGui/QPalette>

class QApplication;
class QWidget;

namespace softscope {

/// Returns light or dark, following the desktop's palette. Call it before applyTheme() replaces
/// that palette.
ViewSettings::Theme systemTheme();

/// Returns the icon of the program's windows.
QIcon programIcon();

/// Makes the program's icons available, and loads the plugins of Qt that draw them.
void loadIcons();

/// Gives the whole application the colours of a theme, on top of Qt's Fusion style.
void applyTheme(QApplication& application, ViewSettings::Theme theme);

/// Sets the whole application's font to `font` at `scale` times its size.
void setTextSize(QApplication& application, const QFont& font, double scale);

/// Returns the colours and fonts for drawings inside `widget`.
FigureStyle screenStyle(const QWidget& widget);

/// Returns the colour of less prominent text.
QColor mutedText(const QPalette& palette);

/// Returns an icon from resources/icons in the palette's text colour.
QIcon themedIcon(const QString& name, const QPalette& palette);

}  // namespace softscope
