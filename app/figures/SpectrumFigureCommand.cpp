#include "app/figures/SpectrumFigureCommand.h"

#include "app/figures/AnalysedModels.h"
#include "app/figures/HeadlessApplication.h"
#include "widgets/analysis/SpectrumFigure.h"

#include <CLI/CLI.hpp>

#include <map>

namespace softscope {

int drawSpectrumFigure(const FigureArguments& arguments) {
  const HeadlessApplication application;
  checkFiles(arguments, FigureNumbers::Table);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, inspectModels(arguments));
  const SpectrumSettings& settings = arguments.analysis.spectrum;
  const std::vector<LayerSpectra> spectra = computeSpectra(layers, settings.of);
  checkObstacles(spectra);
  writeFiles(arguments, spectrumFigure(spectra, settings), spectrumTable(spectra));
  return 0;
}

void addSpectrumOptions(CLI::App& command, FigureArguments& arguments) {
  SpectrumSettings& settings = arguments.analysis.spectrum;
  static const std::map<std::string, SpectrumOf> names = {{"attention", SpectrumOf::Attention},
                                                          {"bottleneck", SpectrumOf::Bottleneck},
                                                          {"inverse", SpectrumOf::Inverse}};
  addOwn(arguments, {"spectrum"},
         command.add_option("--of", settings.of, "The matrix whose values are plotted")
             ->transform(CLI::CheckedTransformer(names))
             ->type_name("attention|bottleneck|inverse")
             ->group("Spectrum"));
  addOwn(arguments, {"spectrum"},
         command
             .add_flag_callback(
                 "--linear", [&settings] { settings.logarithmic = false; },
                 "A linear vertical axis instead of powers of ten")
             ->group("Spectrum"));
}

}  // namespace softscope
