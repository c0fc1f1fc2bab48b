#pragma once

#include "core/Progress.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"

#include <memory>

namespace softscope {

/// Opens a recording in a model's place. Throws FileError for what is wrong with the file, and
/// ModelError where the request says what only weights could follow (a mechanism, heads,
/// landmarks, ...).
std::shared_ptr<const Model> openRecording(const ModelRequest& request,
                                           const Progress& progress = {});

}  // namespace softscope
