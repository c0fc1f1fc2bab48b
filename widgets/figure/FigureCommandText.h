#pragma once

#include "core/files/FileVersion.h"
#include "core/image/PictureReading.h"
#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/settings/MapSettings.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A model of a figure or of a survey: how it was opened and what it was fed.
struct FigureModel {
  ModelRequest request;
  InputSize inputSize;
  /// The name its user gave it; if empty, it is named after its file.
  std::string name = {};
  /// The files it was opened from, as they were then.
  std::vector<FileVersion> versions = {};
};

/// Returns a path to the same file that works from any folder.
std::string absolutePath(const std::string& path);

/// Returns the command line options that open these models again: `-m` and the options that were
/// requested. Options at their defaults are left out.
std::vector<std::string> modelOptions(const std::vector<FigureModel>& models);

/// Returns the options that set the input size of each model.
std::vector<std::string> sizeOptions(const std::vector<FigureModel>& models);

/// Throws FileError if a command would open other models, because their files were written since.
void requireUnchanged(const std::vector<FigureModel>& models);

/// Where a figure comes from, independent of what it shows.
struct FigureSource {
  std::vector<FigureModel> models;
  /// Path of the picture's file; empty if the picture is not a file.
  std::string picture;
  /// Number of threads that the user asked for; 0 if not given.
  int threads = 0;
  /// How the picture's file was read.
  PictureReading reading{};
  /// The channel that is shown, where a layer has such.
  ChannelSettings channel{};
  /// The picture's file as it was when it was read.
  FileVersion pictureVersion{};
};

/// The command `softscope figure` for one figure: its kind and the options specific to it.
struct AnalysisCommand {
  std::string kind;
  std::vector<std::string> options;
  /// False for kinds that need no models and no picture.
  bool ofModels = true;
  /// True if the figure shows the chosen channel, where a layer has such.
  bool takesChannel = false;
  /// The queries, the direction they are asked in, and how values become colours, for kinds that
  /// use them.
  std::vector<MarkedQuery> queries;
  Direction direction = Direction::Rows;
  std::optional<ViewSettings> view;
  /// Paths of further pictures after the source's, for kinds that take several.
  std::vector<std::string> pictures = {};
};

/// Returns the options for how heat maps are drawn, except those at their defaults.
std::vector<std::string> viewOptions(const ViewSettings& view);

/// Returns the options that name a query by its place on the picture.
std::vector<std::string> queryOptions(const PictureQuery& query);

/// Adds the option for which map is shown, unless it is the attention; for a product with a
/// gradient, also the classes that it was asked for, which the first of `layers` with one tells.
void addMap(AnalysisCommand& command, ShownMap map,
            const std::vector<const LayerInspection*>& layers);

/// Return the command `softscope figure heads`, for a source with one model, and `softscope figure
/// compare`, for one with a model for each row.
AnalysisCommand headsCommand(const HeadsSubject& subject);
AnalysisCommand compareCommand(const CompareSubject& subject);

/// Returns the command line, quoted for a POSIX shell, that writes the same bytes to `output` as
/// saveFigure() does for this figure. Throws Error if there is none because the picture is not a
/// file, or because a file of the picture or of a model was written since it was read.
std::string figureCommandText(const AnalysisCommand& command, const FigureSource& source,
                              const FigureSettings& settings, const std::string& output);

}  // namespace softscope
