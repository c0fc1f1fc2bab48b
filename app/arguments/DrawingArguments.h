#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

// Options that only affect drawing. Only builds that draw figures have them.

/// Adds the options for size, letters and background.
void addLooksOptions(CLI::App& command, FigureArguments& arguments);

/// Adds the options for colour maps and for what they are laid over.
void addColorOptions(CLI::App& command, FigureArguments& arguments);

/// Adds `--mark`.
void addMarkOption(CLI::App& command, FigureArguments& arguments);

/// Throws FileError if a figure's file cannot be written, and InspectionError for an unknown colour
/// map if the kind has colours.
void checkDrawing(const FigureArguments& arguments);

/// Returns how attention is drawn. Throws InspectionError for an unknown colour map.
ViewSettings viewOf(const FigureArguments& arguments);

/// Returns size and looks, with the background that was given or that of the theme.
FigureSettings figureSettingsOf(const FigureArguments& arguments);

}  // namespace softscope
