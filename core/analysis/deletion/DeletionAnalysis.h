#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/deletion/DeletionRequest.h"
#include "core/analysis/deletion/PictureDeletion.h"
#include "core/array/Table.h"

#include <tuple>
#include <vector>

namespace softscope {

/// Returns the table with the columns
/// `model,ordering,curve,fraction,probability,area,deviation,area_deviation,layer,class,`
/// `better_than,as_good_as,random_orders`: a row for every point of every curve, `deletion` and
/// `insertion`. The random orders are one ordering, `random`, with the means of their probabilities
/// and areas and their standard deviations over orders; other orderings have no deviations. For
/// those, `better_than` and `as_good_as` count the `random_orders` whose area is worse and the
/// same.
Table deletionTable(const std::vector<PictureDeletion>& deletions);

inline constexpr ChoiceName<PatchRemoval> removalNames[] = {
    {PatchRemoval::MeanColor, "mean", "Mean colour"},
    {PatchRemoval::Blur, "blur", "Blur"},
    {PatchRemoval::Imputation, "road", "Imputed, with noise (ROAD)"},
    {PatchRemoval::Tokens, "tokens", "Tokens left out"}};

/// The setting for the number of random orders, which figures and surveys share.
inline constexpr NumberSetting<DeletionSettings, int> randomOrdersSetting{
    {.key = "random",
     .flag = "--random",
     .type = "N",
     .help = "Random orders of each picture that maps are compared with (default: 20); 0 for "
             "none. Each takes 2 x (steps - 1) forward passes",
     .label = "Random orders",
     .tip = "Number of random orders of this picture; the band holds nine tenths of their curves. "
            "Each takes 2 × (steps − 1) forward passes"},
    &DeletionSettings::random,
    0,
    1000,
    0,
    " random orders"};

inline constexpr std::tuple deletionSettings{
    ChoiceSetting<DeletionSettings, PatchRemoval>{
        {.key = "removal",
         .flag = "--removal",
         .type = "mean|blur|road|tokens",
         .help = "What replaces a removed patch: the data set's mean colour, the blurred picture, "
                 "pixels interpolated from those around it, with a little "
                 "noise (ROAD), or nothing, its token being left out, where a network "
                 "computes with any of its tokens (ViT, DeiT, DINOv2)",
         .label = "Removal",
         .tip = "What replaces a removed patch"},
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
    randomOrdersSetting,
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
        &DeletionSettings::received},
    FlagSetting<DeletionSettings>{
        {.key = "classMaps",
         .flag = "--no-class-maps",
         .help = "Leave out the orders by the maps of figure class",
         .label = "Class maps",
         .tip = "By which patches speak for the class, in each of the ways of the page Class"},
        &DeletionSettings::classMaps}};

/// The followed class is a setting of the command line and of files only; the page has its own list
/// of classes.
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

inline constexpr auto deletionFileSettings =
    std::tuple_cat(deletionSettings, followedClassSettings);

/// The analysis of how faithful maps are.
struct DeletionAnalysis {
  using Settings = DeletionSettings;
  static constexpr AnalysisDescription about{
      .name = "deletion",
      .title = "&Deletion",
      .group = AnalysisGroup::Evidence,
      .summary = "how faithful maps are: a class' probability while patches go and come",
      .hasColorBars = false,
  };
  static constexpr const auto& settingList = deletionSettings;
  /// Settings that files keep, in addition to those handled by hand.
  static constexpr const auto& fileSettings = deletionFileSettings;
};

}  // namespace softscope
