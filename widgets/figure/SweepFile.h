#pragma once

#include "core/Progress.h"
#include "core/query/SweepAnalysis.h"
#include "widgets/figure/SweepFigure.h"

#include <string>

namespace softscope {

/// Throws FileError unless the name of a sweep ends in .gif or .webp or has no ending, and for a
/// GIF on a transparent background, which it cannot have.
void checkSweepEnding(const std::string& path, const FigureSettings& figure);

/// Throws FileError unless a sweep can be written there: a .gif, a .webp, or without an ending a
/// folder that is new or holds nothing but frames of sweeps, which say so in the files. Also throws
/// what checkSweepEnding() does.
void checkSweepPath(const std::string& path, const FigureSettings& figure);

/// True if a sweep of that path is a folder of pictures.
bool isSweepFolder(const std::string& path);

/// Writes a sweep as a GIF, an animated WebP or a folder of numbered PNG, atomically; the frames of
/// another sweep in that folder are replaced. The same frames always give the same bytes. Throws
/// FileError, Error for frames that are too many, too large or only one, and Cancelled. Needs a
/// QGuiApplication.
void saveSweep(const std::string& path, const SweepFrames& frames, const SweepSettings& settings,
               const FigureSettings& figure, const Progress& progress = {});

}  // namespace softscope
