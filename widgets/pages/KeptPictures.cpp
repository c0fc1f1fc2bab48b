#include "widgets/pages/KeptPictures.h"

#include "core/Error.h"
#include "core/image/SeenPicture.h"
#include "core/text/Names.h"
#include "widgets/figure/FigureCommandText.h"

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

bool areReadAlike(PictureReading reading, const PictureSource& source) {
  if (source.isUpright) reading.orientation = source.reading.orientation;
  return reading == source.reading;
}

std::vector<KeptPicture> keptPictures(const TokenSettings& settings,
                                      const PictureReading& present) {
  std::vector<KeptPicture> kept;
  for (std::size_t i = 0; i < settings.kept.size(); ++i) {
    const bool isKnown = i < settings.keptReadings.size();
    kept.push_back({settings.kept[i], isKnown ? settings.keptReadings[i] : present});
  }
  return kept;
}

std::vector<KeptPicture> otherPictures(const TokenSettings& settings, const Picture& present) {
  const std::string path = absolutePath(present.path);
  std::vector<KeptPicture> others = keptPictures(settings, present.source.reading);
  std::erase_if(others, [&](const KeptPicture& kept) {
    return kept.path == path && areReadAlike(kept.reading, present.source);
  });
  return others;
}

std::vector<std::string> namesOfPictures(const std::vector<KeptPicture>& pictures) {
  std::vector<std::string> paths;
  for (const KeptPicture& picture : pictures) {
    if (std::ranges::find(paths, picture.path) == paths.end()) paths.push_back(picture.path);
  }
  const std::vector<std::string> ofPaths = pictureNames(paths);
  std::vector<std::string> names;
  for (const KeptPicture& picture : pictures) {
    const bool hasOtherPage = std::ranges::any_of(pictures, [&](const KeptPicture& other) {
      return other.path == picture.path && other.reading.page != picture.reading.page;
    });
    const auto path = std::ranges::find(paths, picture.path) - paths.begin();
    std::string name = ofPaths[static_cast<std::size_t>(path)];
    if (hasOtherPage) name += ", page " + std::to_string(picture.reading.page);
    names.push_back(std::move(name));
  }
  return uniqueNames(names);
}

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
