#pragma once

#include "core/Progress.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"

#include <memory>

namespace softscope {

/// Opens a recording as a model. Throws FileError if something is wrong with the file, and
/// ModelError if the request asks for something that requires weights (a mechanism, heads,
/// landmarks, ...).
std::shared_ptr<const Model> openRecording(const ModelRequest& request,
                                           const Progress& progress = {});

}  // namespace softscope
