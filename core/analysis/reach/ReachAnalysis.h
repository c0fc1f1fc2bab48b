#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/reach/Reach.h"
#include "core/array/Npz.h"

#include <string>
#include <tuple>
#include <vector>

namespace softscope {

struct ReachSettings {
  ReachGradient of = ReachGradient::Jacobian;
  ReachSource from = ReachSource::Pixels;
  ReachedToken behind = ReachedToken::BehindBlock;
  /// Directions of a Jacobian, as in ReachRequest.
  int directions = 12;

  bool operator==(const ReachSettings&) const = default;
};

inline constexpr ChoiceName<ReachGradient> reachGradientNames[] = {
    {ReachGradient::Jacobian, "jacobian", "Norm of the Jacobian"},
    {ReachGradient::PositiveSum, "positive", "Positive gradient of the sum"}};

inline constexpr ChoiceName<ReachSource> reachSourceNames[] = {
    {ReachSource::Pixels, "pixels", "From pixels"},
    {ReachSource::Tokens, "tokens", "From tokens before the block"}};

inline constexpr ChoiceName<ReachedToken> reachedTokenNames[] = {
    {ReachedToken::BehindBlock, "block", "To the token behind the block"},
    {ReachedToken::BehindAttention, "attention", "To what attention adds to it"}};

inline constexpr std::tuple reachSettings{
    ChoiceSetting<ReachSettings, ReachSource>{
        {.key = "from",
         .flag = "--from",
         .type = "pixels|tokens",
         .help = "What reaches the token: the picture's pixels (default), or the tokens before the "
                 "block, those behind the block before it",
         .label = "From",
         .tip = "What reaches the token: the picture's pixels, or the tokens before the block"},
        &ReachSettings::from,
        reachSourceNames},
    ChoiceSetting<ReachSettings, ReachedToken>{
        {.key = "behind",
         .flag = "--behind",
         .type = "block|attention",
         .help =
             "Which token is reached: that behind the whole block (default), or what the attention "
             "module alone adds to it, without the residual stream and the feed-forward part",
         .label = "Behind",
         .tip = "The token behind the whole block, or what the attention module alone adds to it"},
        &ReachSettings::behind,
        reachedTokenNames},
    ChoiceSetting<ReachSettings, ReachGradient>{
        {.key = "of",
         .flag = "--gradient",
         .type = "jacobian|positive",
         .help = "What a pixel counts for: the norm of the token's Jacobian (default), or, as "
                 "published code has it, the positive part of the gradient of the sum of the "
                 "token's positive channels",
         .label = "Gradient",
         .tip = "What a pixel counts for"},
        &ReachSettings::of,
        reachGradientNames},
    NumberSetting<ReachSettings, int>{
        {.key = "directions",
         .flag = "--directions",
         .type = "N",
         .help = "Random directions that estimate the Jacobian's norm, a backward pass each "
                 "(default: 12); exact with as many as a token has channels",
         .label = "Directions",
         .tip = "Random directions that estimate the Jacobian's norm, a backward pass each; "
                "exact with as many as a token has channels"},
        &ReachSettings::directions,
        1,
        4096,
        1,
        " directions"}};

/// The influence of every pixel on one token behind the block of a layer, averaged over pictures.
struct LayerReach {
  AnalysedLayer of;
  /// The influence on the token, in which the value of each pixel is the mean over the pictures.
  Reach reach;
  /// The radius in each picture that has one; see reachRadius().
  std::vector<double> radii;
  int pictures = 1;
  std::string obstacle;
};

/// The analysis of which pixels reach a token: its effective receptive field.
struct ReachAnalysis {
  using Settings = ReachSettings;
  static constexpr AnalysisDescription about{
      .name = "reach",
      .title = "Reach",
      .group = AnalysisGroup::Maps,
      .summary =
          "which pixels or tokens reach a token behind a block: its effective receptive field, or "
          "norms of a block's Jacobian",
      .asksQueries = true,
      .liesOnPatches = true,
      .ofPictures = true,
      .usage = "-m CKPT... IMAGE... [OPTIONS]",
  };
  static constexpr const auto& settingList = reachSettings;
};

/// Measures layers of one model, each at the place of the request; the request's layers and
/// settings are filled in. Throws like measureReach().
std::vector<LayerReach> computeReach(const std::vector<AnalysedLayer>& layers, const Model& model,
                                     const InputTensor& input, ReachRequest request,
                                     const ReachSettings& settings, const ReachMeasurer& measure,
                                     const Progress& progress = {});

/// Adds what was measured on another picture to a mean over pictures, layer by layer. Both are of
/// the same models and layers. Throws InspectionError if the pictures reached the network in
/// different sizes.
void addPicture(std::vector<LayerReach>& mean, const std::vector<LayerReach>& picture);

/// Returns `31.2 of 224 pixels` and the like for the radius of the mean; empty if it has none.
std::string radiusText(const LayerReach& of);

/// Returns `MODEL.LAYER.reach` [height, width], the influence of each pixel or of each patch before
/// the block (with `.reach_prefix` of the tokens before those, if any), and where they are defined
/// `MODEL.LAYER.radius` [1], of the mean over pictures, `.radii` [pictures], of each, and
/// `.uniform_radius` [1]; of tokens also ownShare() as `.own_share` [1].
NamedArrays reachArrays(const std::vector<LayerReach>& reaches);

}  // namespace softscope
