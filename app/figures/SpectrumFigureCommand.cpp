#include "app/figures/SpectrumFigureCommand.h"

#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/spectrum/LayerSpectra.h"

#include <CLI/CLI.hpp>

namespace softscope {

int writeSpectrumFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const SpectrumSettings& settings = arguments.analysis.spectrum;
  const ShownMap map = arguments.shown.map;
  if (settings.of != SpectrumOf::Attention && map != ShownMap::Attention) {
    throw UsageError("--map and --of name two matrices; leave one of them out");
  }
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, inspectModels(arguments));
  const std::vector<LayerSpectra> spectra = computeSpectra(layers, settings.of, map);
  checkObstacles(spectra);
  if constexpr (drawsFigures) drawSpectra(arguments, spectra);
  writeNumbers(arguments, spectrumTable(spectra));
  // A table has no place for what a caption says.
  if (!allConverged(spectra)) note(spectrumMethods(spectra));
  return 0;
}

void addSpectrumOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "spectrum", "Spectrum", spectrumSettings,
                 arguments.analysis.spectrum);
}

}  // namespace softscope
