#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/survey/reading/SurveyComparison.h"

#include <optional>
#include <string>
#include <tuple>

namespace softscope {

/// The choices on the Survey page. An empty name of a measure stands for the first measure, an
/// empty model or layer for all of them.
struct SurveySettings {
  /// The `.survey` file; empty where none is open.
  std::string file;
  SurveyShow show = SurveyShow::Distributions;
  std::string measure;
  /// The second measure, of what takesTwoMeasures().
  std::string against;
  bool byClass = false;
  std::string model;
  std::string layer;
  std::optional<int> head;
  /// Every value in a table, instead of plots.
  bool table = false;
  /// Counts openings, so that opening the same file again reads it anew. Not stored.
  int reading = 0;

  bool operator==(const SurveySettings&) const = default;
};

inline constexpr ChoiceName<SurveyShow> surveyShowNames[] = {
    {SurveyShow::Distributions, "distributions", "Distributions"},
    {SurveyShow::Means, "means", "Means"},
    {SurveyShow::Differences, "differences", "Differences of models"},
    {SurveyShow::Contrast, "contrast", "Differences of measures"},
    {SurveyShow::Steps, "steps", "Steps of a training"},
    {SurveyShow::Histogram, "histogram", "Histogram"},
    {SurveyShow::Scatter, "scatter", "Two measures"}};

/// The largest index of a head that can be chosen, far beyond the heads of any network.
inline constexpr int mostSurveyHead = 4095;

inline bool isAnySurveyName(const std::string&) {
  return true;
}

/// (What is chosen of models, layers and heads has options that all kinds of figures share.)
inline constexpr std::tuple surveySettings{
    ChoiceSetting<SurveySettings, SurveyShow>{
        {.key = "show",
         .flag = "--view",
         .type = "distributions|means|differences|contrast|steps|histogram|scatter",
         .help =
             "Distributions of each head; means with standard errors; differences between "
             "models, paired by picture, with 95 % intervals corrected for their number; contrast: "
             "the same between the measure and that of --against; curves over the steps of a "
             "training, whose models' names differ in a number; a histogram; or two measures "
             "against each other",
         .label = "View",
         .tip = "What is shown of the measure"},
        &SurveySettings::show,
        surveyShowNames},
    FlagSetting<SurveySettings>{
        {.key = "byClass", .label = "Classes apart", .tip = "Pictures of each class by themselves"},
        &SurveySettings::byClass}};

/// The settings that files keep: those of surveySettings, the file, measures, model, layer and head
/// that are chosen, and whether a table is shown.
inline constexpr std::tuple surveyFileSettings = std::tuple_cat(
    surveySettings,
    std::tuple{
        NameSetting<SurveySettings>{
            {.key = "file", .label = "File"}, &SurveySettings::file, isAnySurveyName},
        NameSetting<SurveySettings>{
            {.key = "measure", .label = "Measure"}, &SurveySettings::measure, isAnySurveyName},
        NameSetting<SurveySettings>{
            {.key = "against", .label = "Against"}, &SurveySettings::against, isAnySurveyName},
        NameSetting<SurveySettings>{
            {.key = "model", .label = "Model"}, &SurveySettings::model, isAnySurveyName},
        NameSetting<SurveySettings>{
            {.key = "layer", .label = "Layer"}, &SurveySettings::layer, isAnySurveyName},
        FlagSetting<SurveySettings>{{.key = "table", .label = "Table"}, &SurveySettings::table},
        OptionalSetting<SurveySettings>{
            {.key = "head", .label = "Head"}, &SurveySettings::head, 0, mostSurveyHead}});

/// Measures of many pictures.
struct SurveyAnalysis {
  using Settings = SurveySettings;
  static constexpr AnalysisDescription about{
      .name = "survey",
      .title = "Surve&y",
      .group = AnalysisGroup::Evidence,
      .summary =
          "measures of many pictures, of a FILE.survey in IMAGE's place; -m names its models",
      .choosesHeads = true,
      .ofModels = false,
      .hasColorBars = false,
      .usage = "FILE.survey [OPTIONS]",
      .takenOptions = "model layer head",
  };
  static constexpr const auto& settingList = surveySettings;
  /// The settings that files keep; lists are written by AnalysisFile.cpp.
  static constexpr const auto& fileSettings = surveyFileSettings;
};

/// A measure of surveys over the steps of a training. The window has a slider over the steps
/// instead of a page.
struct SeriesAnalysis {
  static constexpr AnalysisDescription about{
      .name = "series",
      .title = "Series",
      .group = AnalysisGroup::Evidence,
      .summary =
          "a measure of every head over the steps of a training; -m is a folder of "
          "checkpoints, or a name with wildcards",
      .choosesHeads = true,
      .ofPictures = true,
      .hasColorBars = false,
      .hasPage = false,
      .usage = "-m 'run/epoch_*.pth' IMAGE... --measure NAME [OPTIONS]",
  };
};

}  // namespace softscope
