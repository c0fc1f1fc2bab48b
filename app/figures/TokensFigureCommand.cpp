#include "app/arguments/CommandProgress.h"
#include "app/arguments/Note.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/tokens/TokenMatches.h"
#include "core/analysis/tokens/TokenVectors.h"
#include "core/analysis/tokens/TokensAnalysis.h"
#include "core/files/Overwriting.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using TokensOfModels = std::map<std::string, std::shared_ptr<const TokenInspection>>;

TokensOfModels inspectAllTokens(const AnalysedModels& analysed) {
  checkLacking(analysed, "token to look at");
  TokensOfModels tokens;
  ProgressLine line;
  for (const AnalysedModel& model : analysed.models) {
    Progress progress = stepsOn(line, model.name);
    const Interruption interruption(progress);
    tokens[model.name] = inspectTokens(*model.model, *model.input, progress);
  }
  line.clear();
  return tokens;
}

/// Returns the tokens of the chosen layers of all models on one picture.
std::vector<AnalysedTokens> tokensOn(const FigureArguments& arguments,
                                     const AnalysedModels& analysed, const std::string& picture) {
  const TokensOfModels tokens = inspectAllTokens(analysed);
  std::vector<AnalysedTokens> analysedTokens;
  for (const AnalysedLayer& layer : analysedLayers(arguments, analysed)) {
    const auto& inspection = tokens.at(layer.model);
    analysedTokens.push_back({layer.model, layer.mechanismNote, inspection,
                              inspection->indexOf(layer.layer().name), layer.region, picture,
                              analysed.picture});
  }
  return analysedTokens;
}

/// Returns the tokens on several pictures, which go by `names`. `opened` holds the models.
std::vector<AnalysedTokens> tokensOnAll(FigureArguments arguments, const AnalysedModels& opened,
                                        const std::vector<std::string>& paths,
                                        const std::vector<std::string>& names) {
  std::vector<AnalysedTokens> analysedTokens;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    arguments.image = paths[i];
    const AnalysedModels analysed = inspectModels(arguments, &opened);
    for (AnalysedTokens& of : tokensOn(arguments, analysed, names[i])) {
      analysedTokens.push_back(std::move(of));
    }
  }
  return analysedTokens;
}

void checkVectors(const TokenSettings& settings) {
  if (!settings.vectors.empty() && settings.of != TokenQuantity::Similarity) {
    throw UsageError("--vector is what patches are compared with, so it needs --show similarity");
  }
  if (settings.vectors.empty() && settings.compared != ComparedTokens::Fitting) {
    throw UsageError("--vector-space says what a vector is compared with; give --vector FILE");
  }
}

void checkPictures(const FigureArguments& arguments, const TokenSettings& settings) {
  if (!settings.kept.empty() && settings.of != TokenQuantity::Components) {
    throw UsageError(
        "--basis is what components are fitted on, so it needs --show components; for similarity "
        "and matches give the other picture after IMAGE");
  }
  if (settings.of == TokenQuantity::Components && settings.foregroundBy == ForegroundBy::Query &&
      settings.foreground == 0) {
    noteOnResult(
        "--foreground-by is passed over, as all patches are foreground; give --foreground 60 for "
        "the patches whose cosine to the query's is 0.6 or more");
  }
  if (settings.of != TokenQuantity::Matches) return;
  if (arguments.images.size() < 2) {
    throw UsageError("--show matches is between two pictures; give a second one after IMAGE");
  }
}

/// Returns what the pictures that components are fitted on are called: one that is shown, as there.
std::vector<std::string> basisNames(const std::vector<std::string>& shown,
                                    const std::vector<std::string>& basis) {
  std::vector<std::string> all = shown;
  std::vector<std::size_t> places;
  for (const std::string& path : basis) {
    const auto found = std::ranges::find_if(
        all, [&path](const std::string& other) { return isSameFile(other, path); });
    places.push_back(static_cast<std::size_t>(found - all.begin()));
    if (found == all.end()) all.push_back(path);
  }
  const std::vector<std::string> names = pictureNames(all);
  std::vector<std::string> ofBasis;
  for (const std::size_t place : places) ofBasis.push_back(names[place]);
  return ofBasis;
}

/// Notes that no query is asked about, and why.
void noteQueriesPassedOver(const FigureArguments& arguments, const TokenSettings& settings) {
  if (settings.asksQuery()) return;
  noteUnasked(arguments,
              settings.comparesVectors() ? "patches are compared with --vector"
              : settings.of == TokenQuantity::Matches
                  ? "the matches of all patches are drawn; give --matches query for those of a "
                    "query alone"
              : settings.of == TokenQuantity::Components
                  ? "components are of all patches; give --foreground 60 --foreground-by query for "
                    "those like the query's"
                  : "every patch has a norm of its own");
}

/// Notes which options of other quantities were given.
void noteOtherQuantities(const FigureArguments& arguments, TokenQuantity shown) {
  const auto note = [&](TokenQuantity of, const std::vector<std::string>& options) {
    if (shown == of) return;
    const auto name = std::ranges::find(tokenMapNames, of, &ChoiceName<TokenQuantity>::value);
    noteUnused(arguments, options, std::string("it needs --show ") + name->name);
  };
  note(TokenQuantity::Components, {"--foreground", "--foreground-by"});
  note(TokenQuantity::Norms, {"--outliers"});
  note(TokenQuantity::Matches, {"--matches", "--lines"});
}

/// Returns what readers of the arrays must know: the pictures that components are fitted on, and
/// what vectors are compared with.
std::vector<std::string> arrayNotes(const std::vector<TokenMap>& maps) {
  if (maps.front().vector) return vectorNotes(maps);
  const std::vector<std::string>& fittedOn = maps.front().fittedOn;
  if (fittedOn.empty()) return {};
  return {"components fitted on " + listText(fittedOn)};
}

}  // namespace

void addTokensOptions(CLI::App& command, FigureArguments& arguments) {
  TokenSettings& settings = arguments.analysis.of<TokenSettings>();
  addOwnSettings(command, arguments, "tokens", "Tokens", tokenSettings, settings);
  addOwn(arguments, {"tokens"},
         addRepeatable(command, "--basis", settings.kept,
                       "Components: a picture that they are fitted on instead of IMAGE, which is "
                       "drawn in them, so that figures made apart have the same colours; "
                       "repeatable")
             ->type_name("PICTURE")
             ->group("Tokens"));
  addOwn(arguments, {"tokens"},
         addRepeatable(command, "--vector", settings.vectors,
                       "Similarity: a .npy file of a vector [channels], or of several [count, "
                       "channels], that patches are compared with instead of the query's token, "
                       "such as CLIP's of texts; repeatable")
             ->type_name("FILE")
             ->group("Tokens"));
}

int writeTokensFigure(const FigureArguments& arguments) {
  const TokenSettings& settings = arguments.analysis.of<TokenSettings>();
  const bool matches = settings.of == TokenQuantity::Matches;
  checkFiles(arguments, matches ? FigureNumbers::Table : FigureNumbers::Arrays);
  checkPictures(arguments, settings);
  checkVectors(settings);
  noteQueriesPassedOver(arguments, settings);
  noteOtherQuantities(arguments, settings.of);
  const std::vector<TokenVector> vectors = readTokenVectors(settings.vectors);
  const AnalysedModels analysed = inspectModels(arguments);
  const AnalysedLayer first = analysedLayers(arguments, analysed).front();
  const std::vector<PictureQuery> queries = parseQueries(
      settings.comparesVectors() ? std::vector<QueryText>() : arguments.queries, first.attention(),
      extentOf(analysed.picture.get(), first.region), Direction::Rows);
  const std::vector<std::string>& paths = arguments.images;
  std::vector<std::string> names{""};
  if (paths.size() > 1) names = pictureNames(paths);
  std::vector<AnalysedTokens> analysedTokens = tokensOn(arguments, analysed, names.front());
  if (paths.size() > 1) {
    for (AnalysedTokens& of : tokensOnAll(arguments, analysed, {paths.begin() + 1, paths.end()},
                                          {names.begin() + 1, names.end()})) {
      analysedTokens.push_back(std::move(of));
    }
  }
  if (matches) {
    const std::vector<LayerMatches> found = layerMatches(analysedTokens, settings, queries);
    if constexpr (drawsFigures) drawMatches(arguments, found);
    writeNumbers(arguments, matchTable(found));
    return 0;
  }
  const std::vector<AnalysedTokens> basis =
      tokensOnAll(arguments, analysed, settings.kept, basisNames(paths, settings.kept));
  const std::vector<TokenMap> maps = vectors.empty()
                                         ? tokenMaps(analysedTokens, settings, queries, basis)
                                         : vectorMaps(analysedTokens, vectors, settings.compared);
  if constexpr (drawsFigures) drawTokens(arguments, maps, queries);
  writeNumbers(arguments, tokenArrays(maps), notesOn(analysed, arrayNotes(maps)));
  return 0;
}

}  // namespace softscope
