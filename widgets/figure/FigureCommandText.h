#pragma once

#include "core/image/PictureReading.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/figure/ModelOptions.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Where a figure comes from, apart from what it shows.
struct FigureSource {
  std::vector<FigureModel> models;
  /// Of the picture's file.
  std::string picture;
  /// 0 where nothing was said.
  int threads = 0;
  /// How the picture was read.
  PictureReading reading{};
};

/// A figure of `softscope figure`: its kind, and the options that are its own.
struct AnalysisCommand {
  std::string kind;
  std::vector<std::string> options;
  /// Whether it is of models and a picture at all.
  bool ofModels = true;
  /// What is asked, and how values become colours, of kinds that these matter to.
  std::vector<MarkedQuery> queries;
  Direction direction = Direction::Rows;
  std::optional<ViewSettings> view;
};

/// The options that say how heat maps are drawn, apart from those that are as they are by default.
std::vector<std::string> viewOptions(const ViewSettings& view);

/// The options that name a query by its place on the picture.
std::vector<std::string> queryOptions(const PictureQuery& query);

/// What `softscope figure heads` and `compare` are told of a source with one model, and with one
/// for each row.
AnalysisCommand headsCommand(const HeadsSubject& subject);
AnalysisCommand compareCommand(const CompareSubject& subject);

/// The command line, quoted for a POSIX shell, that writes `output` with the same bytes as
/// saveFigure() of the figure. Throws Error where there is none: the picture is no file.
std::string figureCommandText(const AnalysisCommand& command, const FigureSource& source,
                              const FigureSettings& settings, const std::string& output);

}  // namespace softscope
