#include "widgets/pages/TokenResults.h"

#include "core/Error.h"
#include "core/analysis/tokens/TokenVectors.h"
#include "widgets/pages/TokensPage.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

TokenResults::TokenResults(Workspace& workspace, const std::function<void()>& arrived)
    : workspace_(workspace),
      tokens_(workspace.worker(), arrived),
      kept_(workspace.worker(), arrived),
      components_(workspace.worker(), arrived),
      matches_(workspace.worker(), arrived),
      vectors_(workspace.worker(), arrived) {}

const TokenSettings& TokenResults::settings() const {
  return workspace_.analysis().settings().of<TokenSettings>();
}

const TokenResults::Tokens* TokenResults::tokens(const std::vector<std::size_t>& models) {
  TokensSubject subject;
  std::vector<std::function<Inspected(const Progress&)>> runs;
  for (const std::size_t index : models) {
    const OpenedModel& opened = workspace_.models().all()[index];
    subject.push_back(opened.ofAllChannels);
    runs.push_back([inspector = workspace_.engine().inspectTokens, model = opened.model,
                    inspection = opened.ofAllChannels,
                    input = inputOf(opened, workspace_.picture().shared())](
                       const Progress& progress) -> Inspected {
      return {inspection, inspector(*model, input(), progress)};
    });
  }
  return tokens_.get(subject, TokensPage::tr("Computing tokens"), [runs](const Progress& progress) {
    Tokens tokens;
    for (const auto& run : runs) tokens.push_back(run(progress));
    return tokens;
  });
}

const KeptTokens* TokenResults::keptTokens(const std::vector<std::size_t>& models) {
  KeptSubject subject{allKept(), {}, {}, {}};
  for (const KeptPicture& picture : subject.pictures) {
    subject.stamps.push_back(fileStamp(picture.path));
  }
  for (const std::size_t index : models) {
    const OpenedModel& opened = workspace_.models().all()[index];
    subject.models.push_back(opened.model);
    subject.sizes.push_back(opened.inputSize);
  }
  return kept_.get(subject, TokensPage::tr("Computing the tokens of kept pictures"),
                   keptRuns(subject, workspace_.engine()));
}

std::vector<KeptPicture> TokenResults::allKept() const {
  return keptPictures(settings(), workspace_.picture().get()->source.reading);
}

std::vector<KeptPicture> TokenResults::othersThanPresent() const {
  const Picture* present = workspace_.picture().get();
  return present ? otherPictures(settings(), *present) : std::vector<KeptPicture>();
}

ShownTokens TokenResults::tokensOf(const std::vector<AnalysedLayer>& layers, const Tokens& tokens,
                                   const KeptTokens* kept) const {
  const std::vector<KeptPicture> others = kept ? othersThanPresent() : std::vector<KeptPicture>();
  const Picture& present = *workspace_.picture().get();
  std::vector<KeptPicture> listed{{absolutePath(present.path), present.source.reading}};
  listed.insert(listed.end(), others.begin(), others.end());
  const std::vector<std::string> names = namesOfPictures(listed);
  ShownTokens shown;
  for (const AnalysedLayer& layer : layers) {
    const auto of = std::ranges::find(tokens, layer.inspection, &Inspected::inspection);
    shown.layers.push_back({layer.model, layer.mechanismNote, of->tokens,
                            of->tokens->indexOf(layer.layer().name), layer.region,
                            others.empty() ? std::string() : names.front(),
                            workspace_.picture().shared()});
  }
  if (!kept) return shown;
  const auto add = [&](const KeptPicture& picture, const std::string& name,
                       std::vector<AnalysedTokens>& to) {
    for (const AnalysedLayer& layer : layers) {
      const OpenedModel* opened = openedModelOf(workspace_.models(), layer);
      to.push_back(kept->tokensOf(layer, opened->model.get(), picture, name));
    }
  };
  for (std::size_t i = 0; i < others.size(); ++i) add(others[i], names[i + 1], shown.layers);
  for (const KeptPicture& picture : allKept()) {
    // A kept picture that is not among the others is the present one.
    const auto other = std::ranges::find(others, picture);
    const auto at = other == others.end() ? 0 : other - others.begin() + 1;
    add(picture, names[static_cast<std::size_t>(at)], shown.basis);
  }
  return shown;
}

bool TokenResults::areReadLikePresent(const std::vector<KeptPicture>& pictures) const {
  const PictureReading& present = workspace_.picture().get()->source.reading;
  return std::ranges::all_of(pictures, [&](const KeptPicture& kept) {
    const KeptTokens* of = kept_.latest();
    if (!of) return kept.reading == present;
    const auto run = std::ranges::find(of->runs, kept, &KeptTokens::Run::of);
    return run != of->runs.end() && areReadAlike(present, run->picture->source);
  });
}

const std::vector<TokenMap>* TokenResults::components(const TokenMapsSubject& subject) {
  return components_.get(subject, TokensPage::tr("Finding principal components"),
                         [subject](const Progress& progress) {
                           progress.throwIfCancelled();
                           return componentMaps(subject.layers, subject.settings.foreground,
                                                subject.basis, subject.like);
                         });
}

const std::vector<LayerMatches>* TokenResults::matches(const std::vector<AnalysedTokens>& layers) {
  const TokenMapsSubject subject{layers, {}, {.of = TokenQuantity::Matches}};
  return matches_.get(subject, TokensPage::tr("Matching patches"),
                      [subject](const Progress& progress) {
                        return layerMatches(subject.layers, subject.settings, {}, progress);
                      });
}

const VectorMaps* TokenResults::vectorMapsOf(const std::vector<AnalysedTokens>& layers) {
  VectorsSubject subject{{layers, {}, settings()}, {}};
  for (const std::string& path : settings().vectors) {
    subject.stamps.push_back(fileStamp(path));
  }
  return vectors_.get(subject, TokensPage::tr("Comparing with vectors"),
                      [subject](const Progress& progress) -> VectorMaps {
                        progress.throwIfCancelled();
                        try {
                          return {
                              vectorMaps(subject.layers, readTokenVectors(subject.settings.vectors),
                                         subject.settings.compared),
                              {}};
                        } catch (const Error& error) {
                          return {{}, error.what()};
                        }
                      });
}

void TokenResults::retry() {
  // A kept picture that could not be read may be there again.
  const KeptTokens* kept = kept_.latest();
  if (kept && !kept->obstacle.empty()) kept_.keepIf([](const KeptSubject&) { return false; });
  tokens_.retry();
  kept_.retry();
  components_.retry();
  matches_.retry();
  vectors_.retry();
}

void TokenResults::releaseClosed() {
  tokens_.keepIf(OpenSubjects(workspace_.models()));
  const auto isComputedOfOpen = [this](const TokenMapsSubject&) {
    return tokens_.latest() != nullptr;
  };
  components_.keepIf(isComputedOfOpen);
  matches_.keepIf(isComputedOfOpen);
  vectors_.keepIf(isComputedOfOpen);
  kept_.keepIf([this](const KeptSubject& subject) {
    return std::ranges::all_of(subject.models, [this](const auto& model) {
      const std::vector<OpenedModel>& open = workspace_.models().all();
      return std::ranges::find(open, model, &OpenedModel::model) != open.end();
    });
  });
}

}  // namespace softscope
