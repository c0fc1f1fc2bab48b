#pragma once

#include "core/Progress.h"
#include "core/array/Table.h"
#include "core/survey/reading/SurveyReader.h"

#include <functional>
#include <string_view>

namespace softscope {

/// Receives a text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// Writes every value of a survey as CSV: `model,layer,head,picture,class,measure,value`. Models
/// are sorted by name; each has its own measures first, then those of each layer, then those of the
/// layer's heads, always with the pictures in the folder's order. Layer and head are empty in rows
/// that are not about one, class for a picture without a class, and value where the measure is not
/// defined. Equal surveys give equal bytes, in whatever order their models are stored. Holds at
/// most about 256 MB of values.
void writeSurveyRows(SurveyReader& survey, const TextSink& write,
                     const Progress& progress = Progress());

/// Returns
/// `model,layer,head,measure,count,mean,deviation,standard_error,quartile_1,median,quartile_3` in
/// the same order. With `byClass`, `class` follows the measure, and each class that has pictures
/// has a row.
Table surveySummary(SurveyReader& survey, bool byClass, const Progress& progress = Progress());

}  // namespace softscope
