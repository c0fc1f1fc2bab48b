#pragma once

#include "core/analysis/tokens/TokenMap.h"
#include "core/analysis/tokens/TokenMatches.h"
#include "widgets/pages/KeptPictures.h"
#include "widgets/workspace/LatestResult.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class Workspace;

/// The tokens that are shown, and those that components are fitted on.
struct ShownTokens {
  std::vector<AnalysedTokens> layers;
  std::vector<AnalysedTokens> basis;
};

/// The tokens and settings that components and matches are computed from.
struct TokenMapsSubject {
  std::vector<AnalysedTokens> layers;
  std::vector<AnalysedTokens> basis;
  TokenSettings settings;
  /// The query whose token the foreground of components is like, if one is asked for.
  std::optional<PictureQuery> like = {};

  bool operator==(const TokenMapsSubject&) const = default;
};

/// The maps of vectors, or why there are none.
struct VectorMaps {
  std::vector<TokenMap> maps;
  std::string obstacle;
};

/// The results that the worker computes for the page of tokens: the tokens of open models on the
/// present picture and on kept ones, and the maps, matches and groups that are shown of them. Each
/// result stays until another one of its kind is asked for; one that is not there yet is null, and
/// is then computed.
class TokenResults {
 public:
  /// A model that was run, and its tokens.
  struct Inspected {
    std::shared_ptr<const Inspection> inspection;
    std::shared_ptr<const TokenInspection> tokens;
  };
  using Tokens = std::vector<Inspected>;

  /// `arrived` is called when a result is available.
  TokenResults(Workspace& workspace, const std::function<void()>& arrived);

  /// Returns the tokens of models, given by their indices, on the present picture.
  const Tokens* tokens(const std::vector<std::size_t>& models);
  /// Returns the tokens of models, given by their indices, on the kept pictures.
  const KeptTokens* keptTokens(const std::vector<std::size_t>& models);
  /// Returns the kept pictures, for which there must be a present one.
  std::vector<KeptPicture> allKept() const;
  /// Returns the kept pictures that are not the present one; empty if there is none.
  std::vector<KeptPicture> othersThanPresent() const;
  /// Returns the tokens of the layers on the present picture and, if `kept` is given, on the other
  /// ones.
  ShownTokens tokensOf(const std::vector<AnalysedLayer>& layers, const Tokens& tokens,
                       const KeptTokens* kept) const;
  /// True if these kept pictures were read with the pages, levels and orientations that the present
  /// one was read with.
  bool areReadLikePresent(const std::vector<KeptPicture>& pictures) const;

  const std::vector<TokenMap>* components(const TokenMapsSubject& subject);
  /// Returns the matches of all patches.
  const std::vector<LayerMatches>* matches(const std::vector<AnalysedTokens>& layers);
  /// Returns the maps of the vectors in the files of the settings, as the files are now.
  const VectorMaps* vectorMapsOf(const std::vector<AnalysedTokens>& layers);

  /// Allows results that are neither available nor pending to be computed again, and reads kept
  /// pictures again that could not be read.
  void retry();
  /// Drops results of models that are no longer open.
  void releaseClosed();

 private:
  using TokensSubject = std::vector<std::shared_ptr<const Inspection>>;
  /// Vectors' maps also depend on what the files held when they were read: their fileStamp().
  struct VectorsSubject : TokenMapsSubject {
    std::vector<std::string> stamps;

    bool operator==(const VectorsSubject&) const = default;
  };

  const TokenSettings& settings() const;

  Workspace& workspace_;
  LatestResult<TokensSubject, Tokens> tokens_;
  LatestResult<KeptSubject, KeptTokens> kept_;
  LatestResult<TokenMapsSubject, std::vector<TokenMap>> components_;
  LatestResult<TokenMapsSubject, std::vector<LayerMatches>> matches_;
  LatestResult<VectorsSubject, VectorMaps> vectors_;
};

}  // namespace softscope
