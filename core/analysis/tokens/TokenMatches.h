#pragma once

#include "core/Progress.h"
#include "core/analysis/tokens/TokenMap.h"
#include "core/array/Table.h"

#include <vector>

namespace softscope {

/// A patch and the patch of another picture whose token is most alike.
struct TokenMatch {
  int patch = 0;
  int other = 0;
  /// The cosine of the angle between the two tokens, in [-1, 1].
  float cosine = 0;
  /// True if the other patch has no patch of the first picture that is more alike: the two are
  /// mutual nearest neighbours.
  bool mutual = false;

  bool operator==(const TokenMatch&) const = default;
};

/// The matches of one layer's patches between two pictures.
struct LayerMatches {
  AnalysedTokens of;
  AnalysedTokens other;
  /// For each patch of `of` that was asked for, its nearest patch of `other`; the largest cosine
  /// first.
  std::vector<TokenMatch> matches;
  /// The queries, if only their patches were asked for; one match belongs to each, in this order.
  std::vector<PictureQuery> queries;
};

/// Returns the patch of `other` that is most alike to each patch of `of`, in the order of patches;
/// the first of equals. Takes the time of one product of both token matrices, and memory in
/// proportion to the number of patches. Throws Cancelled.
std::vector<TokenMatch> nearestPatches(const LayerTokens& of, const LayerTokens& other,
                                       const Progress& progress = {});

/// Matches each layer of the first picture with the same layer of every other one, in the order of
/// the other pictures' layers. Of queries, tokens before the patches are passed over for the patch
/// at their place. Throws Cancelled, and InspectionError if there is one picture alone.
std::vector<LayerMatches> layerMatches(const std::vector<AnalysedTokens>& layers,
                                       const TokenSettings& settings,
                                       const std::vector<PictureQuery>& queries,
                                       const Progress& progress = {});

/// Returns those of the matches of all patches that belong to the patches of queries; one for each
/// query, in their order, as if only they had been asked for.
std::vector<LayerMatches> matchesOfQueries(const std::vector<LayerMatches>& all,
                                           const std::vector<PictureQuery>& queries);

/// Returns the number of matches that are mutual.
int mutualCount(const LayerMatches& matches);

/// Returns the matches that are drawn: mutual ones alone, and at most `lines` of them.
std::vector<TokenMatch> drawnMatches(const LayerMatches& matches, int lines);

/// `model,layer,picture,row,column,other,other_row,other_column,cosine,mutual`: the matches of all
/// patches that were asked for, mutual (1) or not (0).
Table matchTable(const std::vector<LayerMatches>& matches);

}  // namespace softscope
