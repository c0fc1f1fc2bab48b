#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/classmap/ClassMap.h"

#include <tuple>

namespace softscope {

inline constexpr ChoiceName<ClassMethod> classMethodNames[] = {
    {ClassMethod::All, "all", "All methods"},
    {ClassMethod::GradientRollout, "rollout", "Attention × gradient, rolled out"},
    {ClassMethod::LeGrad, "legrad", "LeGrad"},
    {ClassMethod::GradientTokens, "tokens", "Tokens × gradient"},
    {ClassMethod::GradCam, "gradcam", "Grad-CAM"},
    {ClassMethod::IntegratedGradients, "integrated", "Integrated gradients"}};

inline constexpr ChoiceName<AttentionEntries> attentionEntryNames[] = {
    {AttentionEntries::Positive, "positive", "Positive part"},
    {AttentionEntries::Magnitude, "magnitude", "Magnitudes"},
    {AttentionEntries::Signed, "signed", "Signed"}};

inline constexpr std::tuple classMapSettings{
    ChoiceSetting<ClassMapSettings, ClassMethod>{
        {.key = "method",
         .flag = "--method",
         .type = "all|rollout|legrad|tokens|gradcam|integrated",
         .help = "Attention times its gradient, rolled out over the layers; LeGrad; tokens times "
                 "their gradient; Grad-CAM of tokens; integrated gradients of the picture; or all",
         .label = "Method",
         .tip = "How to determine which tokens speak for the class"},
        &ClassMapSettings::method,
        classMethodNames},
    ChoiceSetting<ClassMapSettings, AttentionEntries>{
        {.key = "entries",
         .flag = "--entries",
         .type = "positive|magnitude|signed",
         .help =
             "Rollout and LeGrad: the positive part of each entry, as published, its magnitude, "
             "or entries with their signs",
         .label = "Entries",
         .tip = "Of the attention's gradient: what raises the class, what moves it either way, or "
                "both with their signs"},
        &ClassMapSettings::entries,
        attentionEntryNames},
    NumberSetting<ClassMapSettings, int>{
        {.key = "points",
         .flag = "--points",
         .type = "N",
         .help = "Integrated gradients: points of the path from the mean colour to the picture "
                 "(default: 32); each takes a forward and a backward pass",
         .label = "Points",
         .tip = "Points of the path of integrated gradients; each takes a forward and a backward "
                "pass"},
        &ClassMapSettings::points,
        1,
        1000,
        1,
        " points"}};

/// The classes are settings of files and of the page's own lists of classes; the command line reads
/// names as well.
inline constexpr int mostMappedClass = 999999;
inline constexpr std::tuple mappedClassSettings{
    OptionalSetting<ClassMapSettings>{
        {.key = "class", .label = "Class"}, &ClassMapSettings::classIndex, 0, mostMappedClass},
    OptionalSetting<ClassMapSettings>{
        {.key = "against", .label = "Against"}, &ClassMapSettings::against, 0, mostMappedClass},
    FlagSetting<ClassMapSettings>{
        {.key = "atLayer",
         .label = "At the chosen layer",
         .tip = "Tokens × gradient and Grad-CAM of the chosen layer's block, and not of the last "
                "one whose patches reach the answer"},
        &ClassMapSettings::atLayer}};

inline constexpr auto classMapFileSettings = std::tuple_cat(classMapSettings, mappedClassSettings);

/// The analysis of which tokens speak for a class.
struct ClassAnalysis {
  using Settings = ClassMapSettings;
  static constexpr AnalysisDescription about{
      .name = "class",
      .title = "Class",
      .group = AnalysisGroup::Maps,
      .summary = "which parts of the picture speak for a class, by gradients",
      .liesOnPatches = true,
  };
  static constexpr const auto& settingList = classMapSettings;
  /// Settings that files keep, in addition to those handled by hand.
  static constexpr const auto& fileSettings = classMapFileSettings;
};

}  // namespace softscope
