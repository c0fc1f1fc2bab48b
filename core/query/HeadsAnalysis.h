#pragma once

#include "core/analysis/Analysis.h"

namespace softscope {

/// The analysis of what every head of one layer attends to.
struct HeadsAnalysis {
  static constexpr AnalysisDescription about{
      .name = "heads",
      .title = "&Heads",
      .group = AnalysisGroup::Maps,
      .summary = "every head's attention as an overlay, of one model",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
      .takesMaps = true,
      .takesChannel = true,
  };
};

/// The analysis that compares what several models attend to.
struct CompareAnalysis {
  static constexpr AnalysisDescription about{
      .name = "compare",
      .title = "&Compare",
      .group = AnalysisGroup::Maps,
      .summary = "several models on one picture or several, a row for each",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
      .takesMaps = true,
      .takesChannel = true,
      .ofPictures = true,
      .usage = "-m CKPT... IMAGE... [OPTIONS]",
  };
};

}  // namespace softscope
