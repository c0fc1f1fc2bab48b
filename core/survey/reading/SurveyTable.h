#pragma once

#include "core/Progress.h"
#include "core/array/Table.h"
#include "core/survey/reading/SurveyReader.h"

#include <functional>
#include <string_view>

namespace softscope {

/// Where a text goes, piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// Every value of a survey as CSV: `model,layer,head,picture,class,measure,value`. Models by name,
/// and of each its own measures, then each layer's, then those of the layer's heads; of each the
/// pictures in the folder's order. Layer, head, class and value are empty where there is none.
/// Equal surveys give equal bytes, whatever the order of their models. Holds some 256 MB of values
/// at most.
void writeSurveyRows(SurveyReader& survey, const TextSink& write,
                     const Progress& progress = Progress());

/// `model,layer,head,measure,count,mean,deviation,standard_error,quartile_1,median,quartile_3`, in
/// the same order; by class with `class` after the measure, a row for each class that has pictures.
Table surveySummary(SurveyReader& survey, bool byClass, const Progress& progress = Progress());

}  // namespace softscope
