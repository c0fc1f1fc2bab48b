#pragma once

#include "core/Progress.h"
#include "core/engine/Engine.h"
#include "core/files/FileVersion.h"
#include "core/model/ModelRequest.h"

#include <memory>

namespace softscope {

/// A model as it was read, with the files that it was read from.
struct ReadModel {
  std::shared_ptr<const Model> model;
  /// The checkpoint's files; without a fingerprint if one was replaced while it was read.
  FileVersion files;
  /// The file of the classes' names, if the request has one.
  FileVersion names;
};

/// Reads the model of a request with `open`, and notes of which files it is; runs on the worker.
ReadModel readModel(const ModelRequest& request, const decltype(Engine::openModel)& open,
                    const Progress& progress);

}  // namespace softscope
