#pragma once

#include "models/identify/ChosenSizes.h"
#include "models/identify/ShapeReader.h"
#include "models/soft/SoftNetwork.h"

namespace softscope {

// What names and shapes tell about SOFT's pyramid whatever attends inside.

/// Sizes outside the attention of stages 1 to 3: channels, depths, positions, hidden widths, stem,
/// classes and biases. Throws ModelError where too little is there.
SoftConfiguration readSoftPyramid(const ShapeReader& shapes);

/// The smallest pyramid, which Softscope trains with every mechanism: `soft_nano`,
/// `pyramid_performer_nano`, ...
SoftConfiguration nanoPyramid(int classes);

/// A pyramid of other channels and heads, whose hidden layers keep their share of the channels.
/// Throws ModelError for lists that are not of four numbers, and for channels that their heads do
/// not divide.
SoftConfiguration resizedPyramid(SoftConfiguration configuration, const ArchitectureSizes& sizes);

/// Heads of stage 4, which no shape tells, where nobody says them: as wide as those of stage 3, or
/// 32 channels wide, or one.
int usualLastHeads(const SoftConfiguration& configuration);

/// Throws ModelError where `--heads` has a number for each stage and not those of stages 1 to 3
/// that weights tell.
void requireHeadsOfStages(const SoftConfiguration& configuration, const ModelHints& hints);

/// Ratios of landmarks that nobody says, as a setting of a summary.
NetworkSetting assumedRatios(const SoftConfiguration& configuration);

/// Fills in the heads of each stage and lists the layers; the summary's mechanism is that of stages
/// 1 to 3.
void listSoftLayers(const SoftConfiguration& configuration, ModelSummary& summary);

}  // namespace softscope
