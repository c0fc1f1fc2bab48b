#pragma once

#include "app/arguments/Input.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/SettingArguments.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "core/array/Npz.h"
#include "core/array/Table.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softscope {

/// An option that only applies to some kinds of figures.
struct OwnOption {
  const CLI::Option* option = nullptr;
  std::vector<std::string> kinds;
  /// True if other kinds ignore it instead of refusing it, so that a script may give the same
  /// options to all.
  bool isCommon = false;
};

/// The command line of `softscope figure`.
struct FigureArguments {
  std::string kind;
  /// IMAGE; empty if a recording is used in place of its picture. The first one if there are
  /// several.
  std::string image;
  /// All pictures, for kinds that take several.
  std::vector<std::string> images;
  ModelArguments model;
  /// Values of `--size`: one for all models, or one per model.
  std::vector<std::string> sizes;
  PictureReading reading;
  std::string output;
  std::string data;
  FigureSettings settings;
  std::string theme = "light";
  /// `--background`; if it was not given, the theme determines the background.
  const CLI::Option* background = nullptr;
  std::vector<std::string> layers;
  std::vector<std::string> heads;
  /// `--query` and `--at`, in the order in which they were given.
  std::vector<QueryText> queries;
  std::vector<std::string> marks;
  /// `--class`: names or numbers of classes.
  std::vector<std::string> classes;
  std::string direction = "rows";
  std::vector<std::string> colorMaps;
  /// How attention is drawn, without the colour maps.
  ViewSettings drawn;
  /// The kind of map that is shown, `--map`.
  MapSettings shown;
  ChannelSettings channel;
  /// Options of `figure compare` only.
  Comparison comparison;
  /// `--measure` of `figure overview` and `survey`; empty if it was not given.
  std::string measure;
  /// `--over` of `figure sweep` and `cost`; empty if it was not given.
  std::string over;
  /// `--part` of `figure matrix`, as it was given.
  std::string matrixPart;
  /// `--landmark-counts` of `figure bottleneck --landmarks all` and of `figure sweep`.
  std::vector<int> landmarkCounts;
  /// `--rerun` of `figure bottleneck --approximation`: runs the network with the landmarks that are
  /// compared, instead of the trained ones.
  bool rerunsLandmarks = false;
  /// Settings of the analyses, as on their pages in the window.
  AnalysisSettings analysis;
  std::vector<OwnOption> ownOptions;

  /// Does what ModelArguments::expandWildcards() does, also for `--size`.
  void expandWildcards();
  /// Returns how the picture becomes the input of the model at `index`. Throws UsageError.
  InputOptions input(std::size_t index) const;
  Direction readDirection() const;
};

/// Adds, in groups, everything that figures of all kinds share except KIND, IMAGE and the models.
/// Options that only affect drawing are added if this build draws figures.
void addFigureOptions(CLI::App& command, FigureArguments& arguments);

/// Records that an option only belongs to `kinds`, in addition to those recorded for it before, and
/// says so in its description if there are several.
void addOwn(FigureArguments& arguments, const std::vector<std::string>& kinds, CLI::Option* option,
            bool isCommon = false);

/// Records that an option only applies to `kinds` and that other kinds ignore it. Returns the
/// option.
CLI::Option* addCommon(FigureArguments& arguments, const std::vector<std::string>& kinds,
                       CLI::Option* option);

/// Adds an option for each of `settings` that has a flag. The options belong only to `kind`, and
/// are in a group called `group`; one that another kind's settings share is among what is shown.
template <typename Settings, typename Owner>
void addOwnSettings(CLI::App& command, FigureArguments& arguments, const std::string& kind,
                    const std::string& group, const Settings& settings, Owner& owner) {
  forEachSetting(settings, [&](const auto& setting) {
    if (*setting.text.flag == '\0') return;
    const bool isShared = command.get_option_no_throw(setting.text.flag) != nullptr;
    addOwn(arguments, {kind},
           addSetting(command, setting, owner)->group(isShared ? "What is shown" : group));
  });
}

/// Throws UsageError if an option was given that belongs to other kinds, and notes that a common
/// option is ignored.
void checkOwnOptions(const FigureArguments& arguments);

/// Throws UsageError if `--over` was given and is none of `names`.
void checkOver(const FigureArguments& arguments, const std::vector<std::string>& names);
template <typename Enumeration, std::size_t Count>
void checkOver(const FigureArguments& arguments, const ChoiceName<Enumeration> (&choices)[Count]) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.name);
  checkOver(arguments, names);
}

/// Adds the options of `figure compare` only.
void addCompareOptions(CLI::App& command, FigureArguments& arguments);

/// The form of the numbers behind a figure: arrays in an .npz, or a table in a .csv.
enum class FigureNumbers { Arrays, Table };

/// Throws UsageError, FileError or InspectionError for files that cannot be written and for
/// anything that cannot be drawn. Called before long work.
void checkFiles(const FigureArguments& arguments, FigureNumbers numbers = FigureNumbers::Arrays);

/// Prints on stdout the name of a figure that was written, or of its numbers; nothing if one of
/// both goes to a stream such as /dev/stdout, among whose bytes the name would stand.
void sayWrittenOf(const FigureArguments& arguments, const std::string& path);

/// Writes the table or arrays behind a figure if `--data` asked for them, and prints the file's
/// name. `notes` hold what readers of the arrays must know besides their values.
void writeNumbers(const FigureArguments& arguments, const Table& table);
void writeNumbers(const FigureArguments& arguments, const NamedArrays& arrays,
                  const std::vector<std::string>& notes = {});

}  // namespace softscope
