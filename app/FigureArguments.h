#pragma once

#include "app/Input.h"
#include "app/ModelArguments.h"
#include "app/QueryArguments.h"
#include "core/array/Npz.h"
#include "widgets/ViewSettings.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/FigureSettings.h"
#include "widgets/figure/QueryMark.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// The command line of `softscope figure`.
struct FigureArguments {
  std::string kind;
  std::string image;
  ModelArguments model;
  /// `--size`: once, or once per model.
  std::vector<std::string> sizes;
  bool applyOrientation = true;
  std::string output;
  std::string data;
  FigureSettings settings;
  std::string theme = "light";
  std::string ground;
  std::vector<std::string> layers;
  std::vector<std::string> heads;
  /// `--query` and `--at`, in the order they were given.
  std::vector<QueryText> queries;
  std::vector<std::string> marks;
  std::string direction = "rows";
  std::vector<std::string> colorMaps;
  std::optional<double> opacity;
  std::string range;
  bool smooth = false;
  bool absolute = false;
  /// Of `figure compare` alone.
  bool linkedScales = false;
  std::string difference;

  /// How the picture becomes the input of the model at `index`. Throws UsageError.
  InputOptions input(std::size_t index) const;
  ViewSettings view() const;
  /// `settings` with their ground.
  FigureSettings figureSettings() const;
  Direction readDirection() const;
};

/// Adds everything but KIND, IMAGE and the models, in groups.
void addFigureOptions(CLI::App& command, FigureArguments& arguments);

/// Queries with their marks; a patch is one of the layer that `attention` describes. Throws
/// UsageError and InspectionError.
std::vector<MarkedQuery> readQueries(const FigureArguments& arguments,
                                     const AttentionDescription& attention,
                                     const PictureExtent& extent);

/// Throws UsageError or FileError for names that cannot be written to; for a look before long work.
void checkFiles(const FigureArguments& arguments);

/// Writes what was asked for and prints the names. `arrays` is asked only for `--data`.
void writeFiles(const FigureArguments& arguments, QSizeF millimetres, const FigurePainter& paint,
                const std::function<NamedArrays()>& arrays);

}  // namespace softscope
