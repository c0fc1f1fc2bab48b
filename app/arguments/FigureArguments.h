#pragma once

#include "app/arguments/Input.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/SettingArguments.h"
#include "core/array/Npz.h"
#include "core/array/Table.h"
#include "widgets/settings/AnalysisSettings.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"

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
  /// IMAGE; empty where a recording stands for its picture. Of several pictures, the first.
  std::string image;
  /// All pictures, where a kind takes several.
  std::vector<std::string> images;
  ModelArguments model;
  /// `--size`: once, or once per model.
  std::vector<std::string> sizes;
  PictureReading reading;
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
  /// `--measure` of `figure overview` and `survey`; empty where none was given.
  std::string measure;
  /// `--part` of `figure matrix`, as it was given.
  std::string matrixPart;
  /// `--landmark-counts` of `figure bottleneck --landmarks all`.
  std::vector<int> landmarkCounts;
  /// `--rerun` of `figure bottleneck --approximation`: the network runs with the landmarks that are
  /// compared, instead of as it was trained.
  bool rerunsLandmarks = false;
  /// What analyses are asked for, as on their pages in the window.
  AnalysisSettings analysis;
  std::vector<OwnOption> ownOptions;

  /// How the picture becomes the input of the model at `index`. Throws UsageError.
  InputOptions input(std::size_t index) const;
  Direction readDirection() const;
};

/// Adds everything that figures of all kinds share but KIND, IMAGE and the models, in groups; what
/// only concerns drawing where this build draws figures.
void addFigureOptions(CLI::App& command, FigureArguments& arguments);

/// Notes that an option belongs to `kinds` alone, and says so in its description if they are
/// several.
void addOwn(FigureArguments& arguments, const std::vector<std::string>& kinds, CLI::Option* option,
            bool isCommon = false);

/// Notes that an option says something to `kinds` alone, and that other kinds pass over it. Returns
/// the option.
CLI::Option* addCommon(FigureArguments& arguments, const std::vector<std::string>& kinds,
                       CLI::Option* option);

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

/// What the numbers behind a figure are: arrays in an .npz, or a table in a .csv.
enum class FigureNumbers { Arrays, Table };

/// Throws UsageError, FileError or InspectionError for names that cannot be written to and for what
/// cannot be drawn; for a look before long work.
void checkFiles(const FigureArguments& arguments, FigureNumbers numbers = FigureNumbers::Arrays);

/// Writes the table or arrays behind a figure if `--data` asked for them, and prints the name.
/// `notes` are what is to be known of arrays beside their values.
void writeNumbers(const FigureArguments& arguments, const Table& table);
void writeNumbers(const FigureArguments& arguments, const NamedArrays& arrays,
                  const std::vector<std::string>& notes = {});

}  // namespace softscope
