#pragma once

#include "models/identify/ChosenSizes.h"
#include "models/identify/ShapeReader.h"
#include "models/soft/SoftNetwork.h"

namespace softscope {

// The properties of SOFT's pyramid that names and shapes determine, independent of its attention.

/// Reads the sizes outside the attention of stages 1 to 3: channels, depths, positions, hidden
/// widths, stem, classes and biases. Throws ModelError if information is missing.
SoftConfiguration readSoftPyramid(const ShapeReader& shapes);

/// Returns the smallest pyramid, which Softscope trains with every mechanism: `soft_nano`,
/// `pyramid_performer_nano`, ...
SoftConfiguration nanoPyramid(int classes);

/// Returns the pyramid with the channels and heads of each stage replaced by those in `sizes`; an
/// empty list replaces nothing. The width of the hidden layers keeps its ratio to the channels.
/// Throws ModelError for a list that does not have four numbers, one for each stage, and for
/// channels that are not divisible by the number of heads.
SoftConfiguration resizedPyramid(SoftConfiguration configuration, const ArchitectureSizes& sizes);

/// Returns the heads to assume for stage 4, which no shape determines: as wide as those of stage 3,
/// or 32 channels wide, or one.
int usualLastHeads(const SoftConfiguration& configuration);

/// Throws ModelError if `--heads` has a number for each stage and those of stages 1 to 3 are not
/// the ones in the weights.
void requireHeadsOfStages(const SoftConfiguration& configuration, const ModelHints& hints);

/// Returns assumed ratios of landmarks as a setting for a summary.
NetworkSetting assumedRatios(const SoftConfiguration& configuration);

/// Fills in the heads of each stage and lists the layers; the summary's mechanism is that of stages
/// 1 to 3.
void listSoftLayers(const SoftConfiguration& configuration, ModelSummary& summary);

}  // namespace softscope
