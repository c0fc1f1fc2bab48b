#include "widgets/workspace/ReadModel.h"

#include "core/files/CheckpointFiles.h"

namespace softscope {
namespace {

/// Returns the file that a request takes the classes' names from, as it is now.
FileVersion namesVersion(const ModelRequest& request) {
  if (!request.classNames) return {};
  const std::vector<std::string> files{*request.classNames};
  return {files, stampOf(files), fileFingerprint(files.front())};
}

}  // namespace

ReadModel readModel(const ModelRequest& request, const decltype(Engine::openModel)& open,
                    const Progress& progress) {
  ReadModel read;
  read.files.files = filesOfModel(request.path);
  read.files.stamp = stampOf(read.files.files);
  read.names = namesVersion(request);
  read.model = open(request, progress);
  // Weights of a file that was replaced meanwhile may be of either.
  const std::string fingerprint = fileFingerprint(request.path);
  if (stampOf(read.files.files) == read.files.stamp) read.files.fingerprint = fingerprint;
  return read;
}

}  // namespace softscope
