#pragma once

#include "core/analysis/Analysis.h"

namespace softscope {

/// What every head attends to, as a file in which a reader asks the patches. The window has the
/// Heads page for it.
struct PageAnalysis {
  static constexpr AnalysisDescription about{
      .name = "page",
      .title = "Interactive page",
      .group = AnalysisGroup::Maps,
      .summary =
          "every head of chosen layers in one .html file, whose reader clicks the patches; it "
          "needs "
          "no network and no program",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
      .takesMaps = true,
      .isPicture = false,
      .hasPage = false,
  };
};

}  // namespace softscope
