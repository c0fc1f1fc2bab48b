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

/// The kind of figure that is a file to click in: its reader asks a patch, and it shows what every
/// head attends to. In the window, the Heads page does that.
struct InteractiveAnalysis {
  static constexpr AnalysisDescription about{
      .name = "page",
      .title = "Interactive page",
      .group = AnalysisGroup::Maps,
      .summary =
          "every head of chosen layers in one .html file, whose reader clicks the patches; it "
          "needs no network and no program",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
      .takesMaps = true,
      .takesChannel = true,
      .isPicture = false,
      .hasPage = false,
  };
};

}  // namespace softscope
