#include "app/arguments/Interruption.h"
#include "app/arguments/ProgressLine.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>

namespace softscope {

namespace {

using TokensOfModels = std::map<std::string, std::shared_ptr<const TokenInspection>>;

TokensOfModels inspectAllTokens(const AnalysedModels& looks) {
  TokensOfModels tokens;
  ProgressLine line;
  for (const AnalysedModel& look : looks.models) {
    Progress progress([&](double, const std::string& what) { line.show(look.name + ": " + what); });
    const Interruption interruption(progress);
    tokens[look.name] = inspectTokens(*look.model, *look.input, progress);
  }
  line.clear();
  return tokens;
}

std::vector<AnalysedTokens> analysedTokens(const std::vector<AnalysedLayer>& layers,
                                           const TokensOfModels& tokens) {
  std::vector<AnalysedTokens> analysed;
  for (const AnalysedLayer& layer : layers) {
    const auto& inspection = tokens.at(layer.model);
    analysed.push_back({layer.model, layer.mechanismNote, inspection,
                        inspection->indexOf(layer.layer().name), layer.region});
  }
  return analysed;
}

}  // namespace

int writeTokensFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  const AnalysedModels looks = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, looks);
  const AnalysedLayer& first = layers.front();
  const std::vector<PictureQuery> queries =
      parseQueries(arguments.queries, first.attention(),
                   extentOf(looks.picture.get(), first.region), Direction::Rows);
  const std::vector<AnalysedTokens> analysed = analysedTokens(layers, inspectAllTokens(looks));
  const std::vector<TokenMap> maps =
      tokenMaps(analysed, arguments.analysis.of<TokenSettings>(), looks.picture.get(), queries);
  if constexpr (drawsFigures) drawTokens(arguments, maps, queries, looks.picture);
  writeNumbers(arguments, tokenArrays(maps), notesOn(looks));
  return 0;
}

}  // namespace softscope
