#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/attention/MatrixPart.h"

#include <optional>
#include <tuple>

namespace softscope {

/// Upper limit of the head's number, far beyond any network's. A layer with fewer heads shows its
/// last one.
inline constexpr int mostHead = 4095;

struct MatrixSettings {
  int head = 0;
  /// True to show every head of a layer instead of `head`.
  bool allHeads = false;
  /// The part of the matrix that is shown.
  MatrixFraction part;
  /// Number of cells on a side of printed and saved matrices; 0 for as many as can be seen.
  int cells = 0;

  /// Returns the head to show; empty for all heads.
  std::optional<int> onlyHead() const { return allHeads ? std::nullopt : std::optional(head); }

  bool operator==(const MatrixSettings&) const = default;
};

/// Settings of the page, except the part of the matrix that is shown, which is four numbers and
/// handled by hand.
inline constexpr std::tuple matrixSettings{
    NumberSetting<MatrixSettings, int>{
        {.key = "head", .label = "Head", .tip = "Whose matrix is shown"},
        &MatrixSettings::head,
        0,
        mostHead},
    FlagSetting<MatrixSettings>{
        {.key = "allHeads", .label = "All heads", .tip = "The matrices of all heads, side by side"},
        &MatrixSettings::allHeads}};

/// Applies to printed and saved matrices only, so that no workspace keeps it.
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

/// The analysis of whole attention matrices.
struct MatrixAnalysis {
  using Settings = MatrixSettings;
  static constexpr AnalysisDescription about{
      .name = "matrix",
      .title = "Matri&x",
      .group = AnalysisGroup::Mathematics,
      .summary = "whole attention matrices, keys across and queries down",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .takesMaps = true,
      .takesChannel = true,
  };
  static constexpr const auto& settingList = matrixSettings;
};

}  // namespace softscope
