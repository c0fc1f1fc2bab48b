#pragma once

#include <QtGui/QColor>

namespace softscope {

/// Returns the relative luminance of WCAG 2.1, in [0, 1].
double luminanceOf(const QColor& color);

/// Returns the contrast ratio of WCAG 2.1, in [1, 21].
double contrastOf(const QColor& one, const QColor& other);

/// Returns the colour, made darker or lighter until its contrast to `ground` is at least 4.5, which
/// WCAG asks of text. An invalid ground counts as white.
QColor legibleOn(const QColor& ground, const QColor& color);

}  // namespace softscope
