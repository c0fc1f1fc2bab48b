#pragma once

#include "core/analysis/Cost.h"
#include "core/analysis/LayerOverview.h"
#include "core/analysis/LayerSaliency.h"
#include "core/analysis/bottleneck/LayerConvergence.h"
#include "core/analysis/bottleneck/LayerNorms.h"
#include "core/analysis/deletion/DeletionSettings.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/analysis/tokens/TokenMap.h"
#include "core/attention/LandmarkChoice.h"
#include "core/attention/MatrixPart.h"
#include "core/linalg/NewtonRaphson.h"
#include "widgets/settings/Setting.h"
#include "widgets/settings/SurveySettings.h"

#include <optional>
#include <vector>

namespace softscope {

/// Far beyond any network's. A layer with fewer heads shows its last one.
inline constexpr int mostHead = 4095;
inline constexpr int mostLandmark = 999999;

/// What analyses with several curves are of.
struct AnalysisScope {
  /// Every layer instead of the chosen one.
  bool allLayers = false;
  /// Every open model instead of the current one.
  bool allModels = false;

  bool operator==(const AnalysisScope&) const = default;
};

inline constexpr std::tuple scopeSettings{
    FlagSetting<AnalysisScope>{{.key = "allLayers", .label = "All layers"},
                               &AnalysisScope::allLayers},
    FlagSetting<AnalysisScope>{{.key = "allModels", .label = "All models"},
                               &AnalysisScope::allModels}};

inline constexpr ChoiceName<SaliencyOf> saliencyNames[] = {
    {SaliencyOf::Both, "both", "Queries and keys"},
    {SaliencyOf::Queries, "queries", "Queries"},
    {SaliencyOf::Keys, "keys", "Keys"}};

/// (On the command line --head asks for heads.)
inline constexpr std::tuple saliencySettings{
    ChoiceSetting<SaliencySettings, SaliencyOf>{
        {.key = "of",
         .flag = "--only",
         .type = "queries|keys",
         .help = "Of queries or of keys alone; heads are shown where --head asks for them",
         .label = "Norms",
         .tip = "Whose norms are shown"},
        &SaliencySettings::of,
        saliencyNames},
    FlagSetting<SaliencySettings>{
        {.key = "eachHead", .label = "Each head", .tip = "Every head beside the sum over heads"},
        &SaliencySettings::eachHead}};

struct BottleneckSettings {
  /// The exact kernel beside its Nystrom form, instead of the landmarks.
  bool approximation = false;
  /// The last one of layers that have fewer.
  int head = 0;
  /// The one in the picture's middle where none was chosen, or where a layer has fewer.
  std::optional<int> landmark;
  /// Which landmarks the exact kernel is approximated with, the network staying as it ran; its own
  /// where it did not run as it was trained. (On the command line --landmarks.)
  LandmarkSource landmarks = LandmarkSource::Trained;

  bool operator==(const BottleneckSettings&) const = default;
};

inline constexpr ChoiceName<LandmarkSource> approximatingLandmarkNames[] = {
    {LandmarkSource::Trained, "trained", "The network's landmarks"},
    {LandmarkSource::Pooled, "pooled", "Means of queries"},
    {LandmarkSource::Random, "random", "Random queries"},
    {LandmarkSource::First, "first", "First queries"}};

inline constexpr std::tuple bottleneckSettings{
    OptionalSetting<BottleneckSettings>{
        {.key = "landmark",
         .flag = "--landmark",
         .type = "I",
         .help = "Whose column of P is shown (default: the one in the picture's middle)",
         .label = "Landmark"},
        &BottleneckSettings::landmark,
        0,
        mostLandmark},
    FlagSetting<BottleneckSettings>{
        {.key = "approximation",
         .flag = "--approximation",
         .help = "The exact kernel's row beside its Nystrom form's, and how far the matrices are "
                 "apart, instead of the landmarks",
         .label = "Approximation"},
        &BottleneckSettings::approximation},
    NumberSetting<BottleneckSettings, int>{
        {.key = "head", .label = "Head"}, &BottleneckSettings::head, 0, mostHead},
    ChoiceSetting<BottleneckSettings, LandmarkSource>{
        {.key = "landmarks",
         .label = "Landmarks",
         .tip = "What approximates the kernel of the network as it is; as many as it was trained "
                "with"},
        &BottleneckSettings::landmarks,
        approximatingLandmarkNames}};

struct SpectrumSettings {
  SpectrumOf of = SpectrumOf::Attention;
  bool logarithmic = true;

  bool operator==(const SpectrumSettings&) const = default;
};

inline constexpr ChoiceName<SpectrumOf> spectrumNames[] = {
    {SpectrumOf::Attention, "attention", "Attention"},
    {SpectrumOf::Bottleneck, "bottleneck", "Bottleneck matrix"},
    {SpectrumOf::Inverse, "inverse", "Its inverse"}};

inline constexpr std::tuple spectrumSettings{
    ChoiceSetting<SpectrumSettings, SpectrumOf>{{.key = "of",
                                                 .flag = "--of",
                                                 .type = "attention|bottleneck|inverse",
                                                 .help = "The matrix whose values are plotted",
                                                 .label = "Matrix",
                                                 .tip = "What the values are of"},
                                                &SpectrumSettings::of,
                                                spectrumNames},
    FlagSetting<SpectrumSettings>{{.key = "logarithmic",
                                   .flag = "--linear",
                                   .help = "A linear vertical axis instead of powers of ten",
                                   .label = "Logarithmic",
                                   .tip = "Powers of ten on the vertical axis"},
                                  &SpectrumSettings::logarithmic}};

inline constexpr ChoiceName<std::optional<InverseScheme>> schemeNames[] = {
    {std::nullopt, "released", "Released code"},
    {InverseScheme::Theorem, "theorem", "Theorem"},
    {InverseScheme::Backtracking, "backtracking", "Backtracking"},
    {InverseScheme::PrintedBacktracking, "backtracking-printed", "Backtracking, as printed"},
    {InverseScheme::Nystromformer, "nystromformer", "Nyströmformer"}};

inline constexpr std::tuple convergenceSettings{
    ChoiceSetting<ConvergenceSettings, std::optional<InverseScheme>>{
        {.key = "scheme",
         .flag = "--scheme",
         .type = "SCHEME",
         .help = "Where the iteration starts and how it goes on; released: as each mechanism's "
                 "code does",
         .label = "Scheme",
         .tip = "Where the iteration starts, and how it goes on"},
        &ConvergenceSettings::scheme,
        schemeNames},
    NumberSetting<ConvergenceSettings, int>{{.key = "iterations",
                                             .flag = "--iterations",
                                             .type = "N",
                                             .help = "Steps of the iteration",
                                             .label = "Steps"},
                                            &ConvergenceSettings::iterations,
                                            1,
                                            10000,
                                            1,
                                            " steps"},
    FlagSetting<ConvergenceSettings>{{.key = "float32",
                                      .flag = "--float32",
                                      .help = "Iterate in the code's precision instead of float64",
                                      .label = "float32",
                                      .tip = "Iterate in the code's own precision"},
                                     &ConvergenceSettings::singlePrecision}};

/// Of both analyses that invert A exactly: eigenvalues under this share of the largest count as
/// zero.
template <typename Owner>
constexpr NumberSetting<Owner, double> rcondSetting{
    {.key = "rcond",
     .flag = "--rcond",
     .type = "X",
     .help = "The exact inverse drops eigenvalues under this share of the largest (default: 1e-12)",
     .label = "Smallest eigenvalue kept"},
    &Owner::rcond,
    0,
    1};

/// Sides of the picture in a sweep.
constexpr int leastSweptSide = 8;
constexpr int mostSweptSide = 8192;

struct MatrixSettings {
  int head = 0;
  /// Every head of a layer instead of that one.
  bool allHeads = false;
  /// What is shown.
  MatrixFraction part;
  /// On a side of what is printed and saved; 0 for as many as can be seen.
  int cells = 0;

  /// Nothing for all heads.
  std::optional<int> onlyHead() const { return allHeads ? std::nullopt : std::optional(head); }

  bool operator==(const MatrixSettings&) const = default;
};

/// (Which part of the matrix is shown is four numbers, and written by hand.)
inline constexpr std::tuple matrixSettings{
    NumberSetting<MatrixSettings, int>{
        {.key = "head", .label = "Head", .tip = "Whose matrix is shown"},
        &MatrixSettings::head,
        0,
        mostHead},
    FlagSetting<MatrixSettings>{
        {.key = "allHeads", .label = "All heads", .tip = "Every head's matrix, beside each other"},
        &MatrixSettings::allHeads}};

/// Of what is printed and saved, so that no workspace keeps it.
inline constexpr NumberSetting<MatrixSettings, int> matrixCellsSetting{
    {.key = "cells",
     .flag = "--cells",
     .type = "N",
     .help = "Average the part to at most N x N (default: as many as can be seen)",
     .label = "Cells"},
    &MatrixSettings::cells,
    0,
    16384,
    1};

/// What a map of shares compares a head's attention term with.
enum class ShareOf {
  Residual,  ///< the residual stream that it is added to
  Beside,    ///< what is added beside it, head by head
  Knockout,  ///< the logits without it, with the logits
};

struct ShareSettings {
  ShareOf of = ShareOf::Residual;
  /// Whether knock-outs are made at all.
  bool knockouts = true;

  bool operator==(const ShareSettings&) const = default;
};

inline constexpr ChoiceName<ShareOf> shareNames[] = {
    {ShareOf::Residual, "residual", "Residual stream"},
    {ShareOf::Beside, "beside", "What is beside it"},
    {ShareOf::Knockout, "knockout", "Knock-out"}};

inline constexpr std::tuple shareSettings{
    ChoiceSetting<ShareSettings, ShareOf>{
        {.key = "of",
         .flag = "--share",
         .type = "residual|beside|knockout",
         .help = "What a head's attention is compared with: the residual stream, what is added "
                 "beside it, or the logits without it",
         .label = "Compare attention with",
         .tip = "What a head's attention term is compared with"},
        &ShareSettings::of,
        shareNames},
    FlagSetting<ShareSettings>{
        {.key = "knockouts",
         .flag = "--no-knockouts",
         .help = "Leave out the forward passes without each head and layer",
         .label = "Knock-outs",
         .tip = "Run the model once without each head, and without each layer"},
        &ShareSettings::knockouts}};

inline constexpr ChoiceName<TokenMapOf> tokenMapNames[] = {
    {TokenMapOf::Similarity, "similarity", "Similarity to the query"},
    {TokenMapOf::Components, "components", "Principal components"},
    {TokenMapOf::Norms, "norms", "Norms"}};

inline constexpr std::tuple tokenSettings{
    ChoiceSetting<TokenSettings, TokenMapOf>{
        {.key = "show",
         .flag = "--show",
         .type = "similarity|components|norms",
         .help = "Cosine similarity of all patches to the query's token, the first three principal "
                 "components as colours, or norms with their outliers",
         .label = "Tokens",
         .tip = "What is shown of the tokens behind each block"},
        &TokenSettings::of,
        tokenMapNames},
    NumberSetting<TokenSettings, int>{
        {.key = "foreground",
         .flag = "--foreground",
         .type = "PERCENT",
         .help = "Components: patches whose first component lies below are background, and the "
                 "others have components of their own; 0 for all patches",
         .label = "Foreground from",
         .tip = "Of components: patches whose first component lies below are background"},
        &TokenSettings::foreground,
        0,
        99,
        0,
        " %"},
    NumberSetting<TokenSettings, double>{
        {.key = "outliers",
         .flag = "--outliers",
         .type = "X",
         .help = "Norms: a patch with more than X times the median norm is an outlier",
         .label = "Outliers from",
         .tip = "Of norms: a patch with more than so many times the median norm is an outlier"},
        &TokenSettings::outlierRatio,
        1,
        100,
        1,
        " × median"}};

inline constexpr ChoiceName<RolloutHeads> rolloutNames[] = {
    {RolloutHeads::Mean, "mean", "Mean over heads"},
    {RolloutHeads::Largest, "largest", "Largest over heads"}};

inline constexpr std::tuple rolloutSettings{ChoiceSetting<RolloutSettings, RolloutHeads>{
    {.key = "heads",
     .flag = "--fusion",
     .type = "mean|largest",
     .help = "How the heads of a layer become one map: their mean, or the largest entry over them, "
             "which takes n x n time",
     .label = "Heads",
     .tip = "How the heads of each layer become one map"},
    &RolloutSettings::heads,
    rolloutNames}};

inline constexpr ChoiceName<PatchRemoval> removalNames[] = {
    {PatchRemoval::MeanColor, "mean", "Mean colour"},
    {PatchRemoval::Blur, "blur", "Blur"},
    {PatchRemoval::Tokens, "tokens", "Tokens left out"}};

inline constexpr std::tuple deletionSettings{
    ChoiceSetting<DeletionSettings, PatchRemoval>{
        {.key = "removal",
         .flag = "--removal",
         .type = "mean|blur|tokens",
         .help = "What stands in the place of a patch that is removed: the data set's mean colour, "
                 "the blurred picture, or nothing, its token being left out, where a network "
                 "computes with any of its tokens (ViT, DeiT, DINOv2)",
         .label = "Removal",
         .tip = "What stands in the place of a patch that is removed"},
        &DeletionSettings::removal,
        removalNames},
    NumberSetting<DeletionSettings, int>{
        {.key = "patch",
         .flag = "--patch",
         .type = "PIXELS",
         .help = "The side of a patch, in pixels of the network's input (default: 16); the "
                 "network's own where tokens are left out",
         .label = "Patch",
         .tip = "The side of a patch, in pixels of the network's input"},
        &DeletionSettings::patch,
        1,
        512,
        1,
        " px patches"},
    NumberSetting<DeletionSettings, int>{
        {.key = "steps",
         .flag = "--steps",
         .type = "N",
         .help = "How many parts the patches are removed in (default: 20); one at a time where "
                 "there are fewer patches",
         .label = "Steps",
         .tip = "How many parts the patches are removed in"},
        &DeletionSettings::steps,
        2,
        10000,
        2,
        " steps"},
    NumberSetting<DeletionSettings, int>{
        {.key = "random",
         .flag = "--random",
         .type = "N",
         .help = "Orders at random, shown as a band (default: 5); 0 for none",
         .label = "Random orders",
         .tip = "So many orders at random, shown as a band of their mean and standard deviation"},
        &DeletionSettings::random,
        0,
        100,
        0,
        " random"},
    FlagSetting<DeletionSettings>{{.key = "saliency",
                                   .flag = "--no-saliency",
                                   .help = "Leave out the order by l1 norms of queries and keys",
                                   .label = "Saliency",
                                   .tip = "By the l1 norms of the layer's queries and keys"},
                                  &DeletionSettings::saliency},
    FlagSetting<DeletionSettings>{
        {.key = "classAttention",
         .flag = "--no-class-attention",
         .help = "Leave out the order by what the class token attends to",
         .label = "Class attention",
         .tip = "By what the class token attends to, in the last layer where it asks"},
        &DeletionSettings::classAttention},
    FlagSetting<DeletionSettings>{
        {.key = "rollout",
         .flag = "--no-rollout",
         .help = "Leave out the order by what the answer sees through all layers",
         .label = "Rollout",
         .tip = "By what the network's answer sees through all layers"},
        &DeletionSettings::rollout},
    FlagSetting<DeletionSettings>{
        {.key = "received",
         .flag = "--no-received",
         .help = "Leave out the order by what all queries of the layer attend to",
         .label = "Received",
         .tip = "By what all queries of the layer attend to, on average"},
        &DeletionSettings::received}};

/// (The page has its own list of classes.)
inline constexpr int mostClass = 999999;
inline constexpr std::tuple followedClassSettings{OptionalSetting<DeletionSettings>{
    {.key = "class",
     .flag = "--class",
     .type = "I",
     .help = "The class whose probability is followed, from 0 (default: the predicted one)",
     .label = "Class"},
    &DeletionSettings::classIndex,
    0,
    mostClass}};

struct OverviewSettings {
  OverviewOf of = OverviewOf::Distance;

  bool operator==(const OverviewSettings&) const = default;
};

inline constexpr ChoiceName<OverviewOf> overviewNames[] = {
    {OverviewOf::Distance, "distance", "Attention distance"},
    {OverviewOf::Entropy, "entropy", "Entropy"},
    {OverviewOf::Entries, "entries", "Largest entry"}};

inline constexpr std::tuple overviewSettings{ChoiceSetting<OverviewSettings, OverviewOf>{
    {.key = "of",
     .flag = "--measure",
     .type = "distance|entropy|entries",
     .help = "How far heads look, in pixels, how widely, as a share of ln(keys), or their largest "
             "entries",
     .label = "Measure",
     .tip = "How far heads look, how widely, or their largest entries"},
    &OverviewSettings::of,
    overviewNames}};

inline constexpr ChoiceName<CostOver> costOverNames[] = {
    {CostOver::Tokens, "tokens", "Tokens"},
    {CostOver::Channels, "channels", "Channels"},
    {CostOver::Heads, "heads", "Heads"}};
inline constexpr ChoiceName<CostScope> costScopeNames[] = {
    {CostScope::Attention, "attention", "Attention operator"},
    {CostScope::Vit12, "vit12", "12 transformer blocks"}};

inline constexpr ChoiceName<CostPass> costPassNames[] = {
    {CostPass::Forward, "forward", "Forward pass"},
    {CostPass::Training, "training", "Forward and backward pass"}};

/// (Mechanisms, tokens, channels and heads are lists.)
inline constexpr std::tuple costSettings{
    ChoiceSetting<CostSweep, CostOver>{{.key = "over",
                                        .flag = "--over",
                                        .type = "tokens|channels|heads",
                                        .help = "What is varied",
                                        .label = "Over"},
                                       &CostSweep::over,
                                       costOverNames},
    ChoiceSetting<CostSweep, CostScope>{
        {.key = "scope",
         .flag = "--scope",
         .type = "attention|vit12",
         .help = "One attention operator, or 12 transformer blocks with it",
         .label = "Of"},
        &CostSweep::scope,
        costScopeNames},
    ChoiceSetting<CostSweep, CostPass>{
        {.key = "pass",
         .flag = "--pass",
         .type = "forward|training",
         .help = "A forward pass, or a forward and a backward pass, as a training makes them",
         .label = "Pass",
         .tip = "Inference, or forward and backward as in a training"},
        &CostSweep::pass,
        costPassNames}};

/// Everything that is chosen on the pages of analyses.
struct AnalysisSettings {
  AnalysisScope scope;
  OverviewSettings overview;
  SaliencySettings saliency;
  SpectrumSettings spectrum;
  ConvergenceSettings convergence;
  NormsSettings norms;
  MatrixSettings matrix;
  CostSweep cost;
  BottleneckSettings bottleneck;
  ShareSettings share;
  TokenSettings tokens;
  RolloutSettings rollout;
  DeletionSettings deletion;
  SurveySettings survey;

  bool operator==(const AnalysisSettings&) const = default;
};

}  // namespace softscope
