#pragma once

#include "app/arguments/FigureArguments.h"

#include <string>
#include <vector>

namespace softscope {

// Options that only affect drawing. Only builds that draw figures have them.

/// Adds the options for size, letters and background.
void addLooksOptions(CLI::App& command, FigureArguments& arguments);

/// Adds the options for colour maps and for what they are laid over.
void addColorOptions(CLI::App& command, FigureArguments& arguments);

/// Adds `--mark`.
void addMarkOption(CLI::App& command, FigureArguments& arguments);

/// A value of `--mark`.
struct ChosenMark {
  std::string letter;
  std::string color;  ///< a name or a number that QColor reads
};

/// Returns the values of `--mark`. Throws UsageError for a text that is not LETTER:COLOUR.
std::vector<ChosenMark> chosenMarks(const FigureArguments& arguments);

/// Throws UsageError for a value of `--mark` that is not LETTER:COLOUR, for a file name whose
/// ending the kind does not write and, if the kind has colours, for an unknown colour map. Throws
/// FileError if a sweep's file cannot be written.
void checkDrawing(const FigureArguments& arguments);

/// Returns how attention is drawn. Throws InspectionError for an unknown colour map, and UsageError
/// for two of one kind.
ViewSettings viewOf(const FigureArguments& arguments);

/// Returns size and looks, with the background that was given or that of the theme.
FigureSettings figureSettingsOf(const FigureArguments& arguments);

}  // namespace softscope
