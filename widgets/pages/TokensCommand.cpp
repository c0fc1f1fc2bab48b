#include "widgets/pages/TokensCommand.h"

#include "core/analysis/tokens/TokensAnalysis.h"
#include "widgets/pages/AnalysisPage.h"

#include <utility>

namespace softscope {

namespace {

/// Returns the settings without those that what is shown passes over, and that the command line
/// refuses or notes.
TokenSettings shownSettings(TokenSettings settings) {
  if (!settings.comparesVectors()) settings.compared = ComparedTokens::Fitting;
  if (!settings.asksForeground()) settings.foregroundBy = ForegroundBy::Component;
  return settings;
}

}  // namespace

AnalysisCommand tokensCommand(std::vector<std::string> scope, const TokenSettings& settings,
                              std::vector<std::string> others,
                              const std::optional<PictureQuery>& query, const ViewSettings& view) {
  AnalysisCommand command{"tokens", std::move(scope)};
  command.pictures = std::move(others);
  addOptions(command, tokenSettings, shownSettings(settings));
  const auto add = [&](const std::vector<std::string>& options) {
    command.options.insert(command.options.end(), options.begin(), options.end());
  };
  if (settings.comparesVectors()) {
    for (const std::string& path : settings.vectors) add({"--vector", path});
  }
  if (settings.of == TokenQuantity::Components) {
    for (const std::string& path : settings.kept) add({"--basis", path});
  }
  if (query) add(queryOptions(*query));
  add(viewOptions(view));
  return command;
}

}  // namespace softscope
