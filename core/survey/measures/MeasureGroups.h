#pragma once

#include "core/survey/measures/Measure.h"

#include <vector>

namespace softscope {

// Each file of measures defines one of these functions; Measure.cpp lists them.
std::vector<Measure> lineMeasuresOfHeads();
std::vector<Measure> spreadMeasures();
std::vector<Measure> rankMeasures();
std::vector<Measure> shareMeasures();
std::vector<Measure> weightMeasures();
std::vector<Measure> sinkMeasures();
std::vector<Measure> saliencyMeasures();
std::vector<Measure> bottleneckMeasures();
std::vector<Measure> ablationMeasures();
std::vector<Measure> deletionMeasures(int randomOrders);
std::vector<Measure> tokenMeasures();
std::vector<Measure> reachMeasures();
std::vector<Measure> predictionMeasures();

}  // namespace softscope
