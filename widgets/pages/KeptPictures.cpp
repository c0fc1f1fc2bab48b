#include "widgets/pages/KeptPictures.h"

#include "core/Error.h"
#include "core/image/SeenPicture.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

KeptTokens::Run runOn(const KeptPicture& of, const std::shared_ptr<const Picture>& picture,
                      const std::shared_ptr<const Model>& model, const InputSize& size,
                      const Engine& engine, const Progress& progress) {
  checkSees(model->summary(), *picture);
  const PreparedPicture prepared =
      preparePicture(*picture, withInputSize(model->summary().transform, size));
  progress.throwIfCancelled();
  const auto inspection = engine.inspect(*model, prepared.input, progress, {});
  return {of, picture, model, engine.inspectTokens(*model, prepared.input, progress),
          regionSeen(prepared.region, prepared.input, inspection->seen)};
}

}  // namespace

AnalysedTokens KeptTokens::tokensOf(const AnalysedLayer& layer, const Model* model,
                                    const KeptPicture& picture, const std::string& name) const {
  const auto run = std::ranges::find_if(
      runs, [&](const Run& one) { return one.model.get() == model && one.of == picture; });
  return {layer.model, layer.mechanismNote,
          run->tokens, run->tokens->indexOf(layer.layer().name),
          run->region, name,
          run->picture};
}

std::function<KeptTokens(const Progress&)> keptRuns(const KeptSubject& subject,
                                                    const Engine& engine) {
  return [subject, engine](const Progress& progress) {
    KeptTokens kept;
    try {
      for (const KeptPicture& of : subject.pictures) {
        auto picture = std::make_shared<Picture>(readPicture(of.path, of.reading));
        picture->path = of.path;
        for (std::size_t i = 0; i < subject.models.size(); ++i) {
          kept.runs.push_back(
              runOn(of, picture, subject.models[i], subject.sizes[i], engine, progress));
        }
      }
    } catch (const Cancelled&) {
      throw;
    } catch (const MemoryError&) {
      throw;
    } catch (const ComputeError&) {
      throw;
    } catch (const Error& error) {
      kept.obstacle = error.what();
    }
    return kept;
  };
}

}  // namespace softscope
