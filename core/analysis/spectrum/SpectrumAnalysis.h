#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/array/Table.h"
#include "core/attention/ShownMap.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

/// The spectra of a layer's heads, or why it has none.
struct LayerSpectra {
  AnalysedLayer of;
  std::vector<Spectrum> heads;
  std::string obstacle;
  /// Which of the layer's maps they are of, where they are of what multiplies V.
  ShownMap map = ShownMap::Attention;
};

/// Of every head of each layer; `map` says which of its maps SpectrumOf::Attention means. A layer
/// without such a matrix gets its obstacle instead; may throw Cancelled.
std::vector<LayerSpectra> computeSpectra(const std::vector<AnalysedLayer>& layers, SpectrumOf of,
                                         ShownMap map = ShownMap::Attention,
                                         const Progress& progress = {});

/// How the values were found: `exact from the factors, 49 x 49, float64`.
std::string spectrumMethods(const std::vector<LayerSpectra>& spectra);

/// Whether every value that was looked for was found; spectrumMethods() says of those that were
/// not.
bool allConverged(const std::vector<LayerSpectra>& spectra);

/// Of the eigenvalues of all heads, and whether all their matrices are symmetric, so that the signs
/// are those of the eigenvalues themselves; nothing where no matrix is square. SOFT++
/// ("Softmax-free Linear Transformers", 2024, arXiv 2207.03341, Section 3.3) has eigenvalues that
/// are not negative.
struct SpectrumSigns : EigenvalueSigns {
  bool symmetric = true;
  /// Every eigenvalue was found, not the largest alone.
  bool complete = true;
};
std::optional<SpectrumSigns> spectrumSigns(const std::vector<LayerSpectra>& spectra);

/// `model,layer,head,index,singular_value,eigenvalue_abs,eigenvalue_real,eigenvalue_sign`, the last
/// being -1, 0 or 1: the sign of the real part, 0 where it is zero to float32's rounding.
Table spectrumTable(const std::vector<LayerSpectra>& spectra);

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

/// Singular values and eigenvalues of maps.
struct SpectrumAnalysis {
  using Settings = SpectrumSettings;
  static constexpr AnalysisDescription about{
      .name = "spectrum",
      .title = "Spectr&um",
      .shortcut = "Alt+3",
      .group = AnalysisGroup::Mathematics,
      .summary = "singular values and eigenvalues of every head",
      .takesMaps = true,
      .working = "Decomposing",
      .nothing = "No spectrum",
  };
  static constexpr const auto& settings = spectrumSettings;
  using Results = std::vector<LayerSpectra>;

  /// The settings without those that say how results are drawn.
  static Settings ofResults(Settings settings) {
    settings.logarithmic = true;
    return settings;
  }
  /// Why no map can be chosen; empty where one can.
  static const char* mapObstacle(const Settings& settings) {
    return settings.of == SpectrumOf::Attention
               ? ""
               : "Of the bottleneck matrix and of its inverse there is no other";
  }
  static Results compute(const AnalysisInput& input, const Settings& settings,
                         const Progress& progress) {
    return computeSpectra(input.layers, settings.of, input.map, progress);
  }
  static Table table(const Results& results) { return spectrumTable(results); }
  /// What a table has no place for: how values were found, if not all were.
  static std::string note(const Results& results) {
    return allConverged(results) ? std::string() : spectrumMethods(results);
  }

  // In widgets/analysis/SpectrumFigure.cpp.

  /// Singular values and |eigenvalues| against their rank, a curve per head; heads of one layer
  /// share a colour where there are several layers. Negative eigenvalues, or those of a negative
  /// real part, are crossed. Bounds stand where they hold for every curve.
  static std::vector<Plot> plots(const Results& results, const Settings& settings);
  /// The line above the plots: which matrix, how its values were found, and their signs.
  static QString caption(const Results& results, const Settings& settings);
};

}  // namespace softscope
