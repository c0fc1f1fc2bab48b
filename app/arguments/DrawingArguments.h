#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

// What the command line says about a drawing alone. Only builds that draw figures have it.

/// Adds the options of size, letters and background.
void addLooksOptions(CLI::App& command, FigureArguments& arguments);

/// Adds the options of colour maps and of what they are laid over.
void addColorOptions(CLI::App& command, FigureArguments& arguments);

/// Adds `--mark`.
void addMarkOption(CLI::App& command, FigureArguments& arguments);

/// Throws FileError for a figure's name that cannot be written to, and InspectionError for a colour
/// map that is not there where the kind has colours.
void checkDrawing(const FigureArguments& arguments);

/// How attention is drawn. Throws InspectionError for a colour map that is not there.
ViewSettings viewOf(const FigureArguments& arguments);

/// Size and looks, with the background that was given or that the theme means.
FigureSettings figureSettingsOf(const FigureArguments& arguments);

}  // namespace softscope
