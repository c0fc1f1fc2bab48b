#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/PlottedHeads.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/array/Table.h"
#include "core/attention/ShownMap.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

/// The spectra of a layer's heads, or the reason why there are none.
struct LayerSpectra {
  AnalysedLayer of;
  std::vector<Spectrum> heads;
  std::string obstacle;
  /// The layer's map that the spectra belong to, if they are spectra of SpectrumMatrix::Attention.
  ShownMap map = ShownMap::Attention;
};

/// Returns the spectra of every head of each layer; `map` selects the layer's map that
/// SpectrumMatrix::Attention means. A layer without such a matrix gets its obstacle instead; may
/// throw Cancelled.
std::vector<LayerSpectra> computeSpectra(const std::vector<AnalysedLayer>& layers,
                                         SpectrumMatrix of, ShownMap map = ShownMap::Attention,
                                         const Progress& progress = {});

/// Describes how the values were found: `exact from the factors, 49 x 49, float64`.
std::string spectrumMethods(const std::vector<LayerSpectra>& spectra);

/// True if all values that were looked for were found; spectrumMethods() names those that were not.
bool allConverged(const std::vector<LayerSpectra>& spectra);

/// The signs of the eigenvalues of all heads. SOFT++ ("Softmax-free Linear Transformers", 2024,
/// arXiv 2207.03341, Section 3.3) has no negative eigenvalues. `symmetric` is true if all matrices
/// are symmetric, so that the signs are those of the eigenvalues themselves.
struct SpectrumSigns : EigenvalueSigns {
  bool symmetric = true;
  /// True if every eigenvalue was found, not only the largest.
  bool complete = true;
};
std::optional<SpectrumSigns> spectrumSigns(const std::vector<LayerSpectra>& spectra);

/// Says in a sentence how large the largest singular values are.
std::string spectrumSentence(const std::vector<LayerSpectra>& spectra);

/// Returns the table with the columns
/// `model,layer,head,index,singular_value,eigenvalue_abs,eigenvalue_real,eigenvalue_sign`. The last
/// is -1, 0 or 1: the sign of the real part, 0 if that is zero to float32's rounding.
Table spectrumTable(const std::vector<LayerSpectra>& spectra);

struct SpectrumSettings {
  SpectrumMatrix of = SpectrumMatrix::Attention;
  bool logarithmic = true;
  PlottedHeads heads = PlottedHeads::Automatic;

  bool operator==(const SpectrumSettings&) const = default;
};

inline constexpr ChoiceName<SpectrumMatrix> spectrumNames[] = {
    {SpectrumMatrix::Attention, "attention", "Attention"},
    {SpectrumMatrix::Bottleneck, "bottleneck", "Bottleneck matrix"},
    {SpectrumMatrix::Inverse, "inverse", "Its inverse"}};

inline constexpr std::tuple spectrumSettings{
    ChoiceSetting<SpectrumSettings, SpectrumMatrix>{{.key = "of",
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
                                  &SpectrumSettings::logarithmic},
    plottedHeadsSetting<SpectrumSettings>};

/// The analysis of singular values and eigenvalues of maps.
struct SpectrumAnalysis {
  using Settings = SpectrumSettings;
  static constexpr AnalysisDescription about{
      .name = "spectrum",
      .title = "Spectr&um",
      .group = AnalysisGroup::Mathematics,
      .summary = "singular values and eigenvalues of every head",
      .takesMaps = true,
      .takesChannel = true,
      .hasColorBars = false,
      .working = "Decomposing",
      .nothing = "No spectrum",
  };
  static constexpr const auto& settingList = spectrumSettings;
  using Results = std::vector<LayerSpectra>;

  /// Returns the settings that the results depend on, with fixed values for those that only affect
  /// drawing, so that a change of these computes nothing anew.
  static Settings ofResults(Settings settings) {
    settings.logarithmic = true;
    settings.heads = PlottedHeads::Automatic;
    return settings;
  }
  /// Returns the reason why no map can be chosen; empty if one can.
  static const char* mapObstacle(const Settings& settings) {
    return settings.of == SpectrumMatrix::Attention
               ? ""
               : "Of the bottleneck matrix and of its inverse there is no other";
  }
  static Results compute(const AnalysisInput& input, const Settings& settings,
                         const Progress& progress) {
    return computeSpectra(input.layers, settings.of, input.map, progress);
  }
  static Table table(const Results& results) { return spectrumTable(results); }
  /// Returns what the table has no column for: how the values were found, if not all were.
  static std::string note(const Results& results) {
    return allConverged(results) ? std::string() : spectrumMethods(results);
  }

  // Defined in widgets/analysis/SpectrumFigure.cpp.

  /// Returns plots of singular values and |eigenvalues| against their rank, one curve per head;
  /// heads of one layer share a colour if there are several layers; or one per layer. Eigenvalues
  /// that are negative, or whose real part is, are marked with a cross. Bounds are drawn if they
  /// hold for every curve.
  static std::vector<Plot> plots(const Results& results, const Settings& settings);
  /// Returns the line above the plots: the matrix, how its values were found, and their signs.
  static QString caption(const Results& results, const Settings& settings);
};

}  // namespace softscope
