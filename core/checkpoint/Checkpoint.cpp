#include "core/checkpoint/Checkpoint.h"

#include "core/Error.h"
#include "core/array/InputFile.h"
#include "core/array/Malformed.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/FileText.h"
#include "core/checkpoint/LegacyCheckpoint.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/checkpoint/Safetensors.h"
#include "core/checkpoint/TensorRebuild.h"
#include "core/checkpoint/WeightsSelection.h"
#include "core/checkpoint/ZipCheckpoint.h"

#include <c10/util/Exception.h>

#include <new>
#include <utility>

namespace softscope {

namespace {

using NamedValues = std::vector<std::pair<std::string_view, const PickleValue*>>;

/// The tensors among a state dict's entries; what else hooks left there is none of ours.
NamedValues tensorsOf(const PickleValue::Entries& entries) {
  NamedValues tensors;
  for (const auto& [key, value] : entries) {
    if (!key->is(PickleValue::Kind::String) || !isPickledTensor(*value)) continue;
    if (!isUtf8(key->text)) throw Malformed("has a tensor whose name is not valid text");
    tensors.emplace_back(key->text, value);
  }
  return tensors;
}

torch::Tensor rebuildNamed(std::string_view name, const PickleValue& value,
                           TensorRebuild& rebuild) {
  try {
    return rebuild.rebuild(describeTensor(value));
  } catch (const Malformed& malformed) {
    throw Malformed("the tensor " + quotedText(name) + " " + malformed.what());
  }
}

Checkpoint readPickled(const PickledCheckpoint& file, WeightsChoice choice) {
  SelectedWeights selected = selectWeights(*file.root, choice);
  const NamedValues tensors = tensorsOf(selected.entries);
  std::vector<std::string_view> names;
  for (const auto& [name, value] : tensors) names.push_back(name);

  Checkpoint checkpoint;
  checkpoint.weights = std::move(selected.weights);
  checkpoint.weightsKey = std::move(selected.weightsKey);
  checkpoint.prefix = wrapperPrefix(std::move(names));
  checkpoint.metadata = collectMetadata(*file.root);

  // Views that are not laid out row by row are copied; a transposed weight or two is all that real
  // files have.
  constexpr std::uint64_t copyFloor = std::uint64_t{64} << 20;
  TensorRebuild rebuild(*file.storages, copyFloor + 4 * file.fileSize);
  const std::size_t prefixLength = checkpoint.prefix.size();
  for (const auto& [name, value] : tensors) {
    if (!name.starts_with(checkpoint.prefix) || name.size() == prefixLength) continue;
    checkpoint.state.insert(std::string(name.substr(prefixLength)),
                            rebuildNamed(name, *value, rebuild));
  }
  return checkpoint;
}

Checkpoint readFlat(const std::string& path, WeightsChoice choice) {
  Checkpoint checkpoint = readSafetensors(path);
  const bool isEma = checkpoint.weights == "ema";
  if (choice == WeightsChoice::Ema && !isEma) {
    throw Malformed("holds no running average (EMA) of the weights, so ask for them as they are");
  }
  if (choice == WeightsChoice::Raw && isEma) {
    throw Malformed("holds only a running average (EMA) of the weights, so ask for that");
  }
  std::vector<std::string_view> names;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) names.push_back(entry.name);
  checkpoint.prefix = wrapperPrefix(std::move(names));
  if (checkpoint.prefix.empty()) return checkpoint;
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    const std::size_t prefixLength = checkpoint.prefix.size();
    if (!entry.name.starts_with(checkpoint.prefix) || entry.name.size() == prefixLength) continue;
    state.insert(entry.name.substr(prefixLength), entry.tensor);
  }
  checkpoint.state = std::move(state);
  return checkpoint;
}

Checkpoint readByKind(const std::string& path, WeightsChoice choice) {
  switch (recogniseFile(InputFile(path).head(recognisableBytes))) {
    case FileKind::ZipCheckpoint:
      return readPickled(openZipCheckpoint(path), choice);
    case FileKind::LegacyCheckpoint:
      return readPickled(openLegacyCheckpoint(path), choice);
    case FileKind::Safetensors:
      return readFlat(path, choice);
  }
  throw Malformed("is not a checkpoint");
}

}  // namespace

Checkpoint readCheckpoint(const std::string& path, WeightsChoice choice) {
  try {
    Checkpoint checkpoint = readByKind(path, choice);
    checkpoint.path = path;
    return checkpoint;
  } catch (const Malformed& malformed) {
    throw CheckpointError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw CheckpointError(path, "does not fit in memory");
  } catch (const c10::Error&) {
    // Every claim of the file was checked, so what is left is LibTorch's allocator refusing.
    throw CheckpointError(path, "does not fit in memory");
  }
}

}  // namespace softscope
