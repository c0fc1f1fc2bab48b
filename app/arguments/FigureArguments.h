#pragma once

#include "app/arguments/Input.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/SettingArguments.h"
#include "core/array/Npz.h"
#include "core/array/Table.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/AnalysisSettings.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softscope {

/// An option that says something to some kinds alone.
struct OwnOption {
  const CLI::Option* option = nullptr;
  std::vector<std::string> kinds;
  /// Other kinds pass over it instead of refusing it: a script may give the same to all.
  bool isCommon = false;
};

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
  /// `--background`; where it was not given, the theme says.
  const CLI::Option* background = nullptr;
  std::vector<std::string> layers;
  std::vector<std::string> heads;
  /// `--query` and `--at`, in the order they were given.
  std::vector<QueryText> queries;
  std::vector<std::string> marks;
  std::string direction = "rows";
  std::vector<std::string> colorMaps;
  /// But for its colour maps.
  ViewSettings drawn;
  /// `--map`.
  MapSettings shown;
  /// Of `figure compare` alone.
  Comparison comparison;
  /// `--part` of `figure matrix`, as it was given.
  std::string matrixPart;
  /// `--landmark-counts` of `figure bottleneck --landmarks all`.
  std::vector<int> landmarkCounts;
  /// What analyses are asked for, as on their pages in the window.
  AnalysisSettings analysis;
  std::vector<OwnOption> ownOptions;

  /// How the picture becomes the input of the model at `index`. Throws UsageError.
  InputOptions input(std::size_t index) const;
  ViewSettings view() const;
  /// `settings` with their background.
  FigureSettings figureSettings() const;
  Direction readDirection() const;
};

/// Adds everything that figures of all kinds share but KIND, IMAGE and the models, in groups.
void addFigureOptions(CLI::App& command, FigureArguments& arguments);

/// Notes that an option belongs to `kinds` alone, and says so in its description if they are
/// several.
void addOwn(FigureArguments& arguments, const std::vector<std::string>& kinds, CLI::Option* option,
            bool isCommon = false);

/// Adds an option for each of `settings` that has a flag, of `kind` alone, in a group of that name.
template <typename Settings, typename Owner>
void addOwnSettings(CLI::App& command, FigureArguments& arguments, const std::string& kind,
                    const std::string& group, const Settings& settings, Owner& owner) {
  forEachSetting(settings, [&](const auto& setting) {
    if (*setting.text.flag == '\0') return;
    addOwn(arguments, {kind}, addSetting(command, setting, owner)->group(group));
  });
}

/// Throws UsageError where an option was given that belongs to other kinds, and notes where a
/// common one is passed over.
void checkOwnOptions(const FigureArguments& arguments);

/// The options of `figure compare` alone.
void addCompareOptions(CLI::App& command, FigureArguments& arguments);

/// Queries with their marks; a patch is one of the layer that `attention` describes, of its keys
/// where `direction` asks who attends to it. Throws UsageError and InspectionError.
std::vector<MarkedQuery> readQueries(const FigureArguments& arguments,
                                     const AttentionDescription& attention,
                                     const PictureExtent& extent,
                                     Direction direction = Direction::Rows);

/// What the numbers behind a figure are: arrays in an .npz, or a table in a .csv.
enum class FigureNumbers { Arrays, Table };

/// Throws UsageError or FileError for names that cannot be written to; for a look before long work.
void checkFiles(const FigureArguments& arguments, FigureNumbers numbers = FigureNumbers::Arrays);

/// Writes the figure, and its table or arrays for `--data`, as far as they were asked for; prints
/// the names.
void writeFiles(const FigureArguments& arguments, PanelFigure figure, const Table& table);
void writeFiles(const FigureArguments& arguments, PanelFigure figure, const NamedArrays& arrays);

}  // namespace softscope
