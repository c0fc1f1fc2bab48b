#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/attention/ShownMap.h"

#include <vector>

class QString;

namespace softscope {

struct Plot;

// An analysis is described once, by a struct: its name and its settings, what it computes, its
// table and its plots. The window's page, its tab and help, `softscope figure NAME` with its
// options, copied commands, workspace files and the manual are made from that struct. To add one,
// write the struct, enter it in core/analysis/registry/Analyses.h, and explain it in
// resources/explain/NAME.txt; docs/adding-an-analysis.md walks through an example.

/// The row of tabs that an analysis belongs to.
enum class AnalysisGroup {
  Maps,         ///< what heads attend to, on the picture
  Mathematics,  ///< the matrices behind the maps
  Evidence,     ///< how much maps matter, and what they cost
};

/// The names of an analysis, and the inputs it asks for.
struct AnalysisDescription {
  /// Names the page in workspaces, the kind of figure, and the explanation: `spectrum`.
  const char* name;
  /// The tab's title, with a mnemonic: `Spectr&um`.
  const char* title;
  AnalysisGroup group;
  /// A phrase for `softscope figure --help`.
  const char* summary;

  bool asksQueries = false;    ///< takes --query and --at
  bool choosesHeads = false;   ///< takes --head
  bool choosesLayers = true;   ///< takes --layer, if it shows models
  bool colorsHeads = false;    ///< shows heads as heat maps, which take colours
  bool liesOnPatches = false;  ///< its heat maps lie on the picture
  bool takesMaps = false;      ///< takes --map and --class: attention, convolution, ..., gradient
  bool takesChannel = false;   ///< takes --channel, of state spaces
  /// Shows all open models unless the user chooses the current one alone.
  bool comparesModels = false;
  /// Shows all layers unless the user chooses the current one alone.
  bool showsLayers = false;
  bool ofModels = true;      ///< shows models on a picture
  bool ofPictures = false;   ///< takes several pictures
  bool isPicture = true;     ///< is drawn, so that a size, a font and marks can be chosen
  bool hasColorBars = true;  ///< has maps if it is drawn, not plots alone
  bool isMotion = false;     ///< is drawn frame by frame, into a motion or a folder of pictures
  bool hasPage = true;       ///< has a page in the window, not only a kind of figure
  /// The text after the name in the usage line of `softscope figure NAME --help`.
  const char* usage = "-m CKPT... IMAGE [OPTIONS]";
  /// Options of models, separated by spaces, that the analysis takes even if it does not show
  /// models.
  const char* takenOptions = "";
  /// Shown while the analysis computes: `Decomposing`.
  const char* working = "";
  /// The heading of a page if no layer has anything to analyse: `No spectrum`.
  const char* nothing = "";
};

/// The input of an analysis of layers.
struct AnalysisInput {
  std::vector<AnalysedLayer> layers;
  /// The map that the user chose, for analyses that take maps.
  ShownMap map = ShownMap::Attention;

  bool operator==(const AnalysisInput&) const = default;
};

}  // namespace softscope
