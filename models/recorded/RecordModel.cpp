#include "models/recorded/RecordModel.h"

#include "core/network/NetworkRun.h"
#include "core/recording/RecordingWriter.h"

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace softscope {

namespace {

torch::Tensor colours(const std::array<float, 3>& values) {
  return torch::tensor({values[0], values[1], values[2]}, torch::kFloat32);
}

void addInput(const InputTensor& input, const std::optional<PictureRegion>& seen,
              const InputTransform& transform, RecordingFile& file) {
  // A recording's picture has three channels; those of a grey one are alike.
  torch::Tensor picture =
      torch::tensor(input.values).view({input.channels, input.height, input.width});
  if (seen) {
    // The network put zeros around its input, and its tokens lie on them as well.
    const auto left = static_cast<std::int64_t>(-seen->x);
    const auto top = static_cast<std::int64_t>(-seen->y);
    const auto right = static_cast<std::int64_t>(seen->width) - left - input.width;
    const auto bottom = static_cast<std::int64_t>(seen->height) - top - input.height;
    picture = at::constant_pad_nd(picture, {left, right, top, bottom});
  }
  file.add("input", input.channels == 1 ? picture.repeat({3, 1, 1}) : picture);
  file.add("mean", colours(transform.mean));
  file.add("std", colours(transform.deviation));
}

void addPicture(const RecordedScene& scene, RecordingFile& file) {
  const Picture& picture = *scene.picture;
  const PictureRegion& region = scene.region;
  // A view, which is not written to: the picture may take 300 MB.
  file.add("picture", torch::from_blob(const_cast<std::uint8_t*>(picture.rgb.data()),
                                       {picture.height, picture.width, 3}, torch::kUInt8));
  file.add("region",
           torch::tensor({region.x, region.y, region.width, region.height}, torch::kFloat64));
  file.add("input_size", torch::tensor({scene.input.height, scene.input.width}, torch::kInt64));
}

void addWords(const ModelSummary& summary, RecordingFile& file) {
  file.add("variant",
           RecordingFile::Texts{summary.isPublished() ? summary.variant : summary.family});
  file.add("mechanism", RecordingFile::Texts{summary.mechanism});
  const std::string note = summary.mechanismNote();
  if (!note.empty()) file.add("note", RecordingFile::Texts{note});
  if (!summary.classNames.empty()) file.add("classes", summary.classNames);
  std::vector<std::string> layers;
  for (const LayerSummary& layer : summary.layers) layers.push_back(layer.name);
  file.add("layers", layers);
}

}  // namespace

std::size_t recordModel(const Model& model, const RecordedScene& scene, const std::string& path,
                        const Progress& progress) {
  checkRecordingName(path);
  const ModelSummary& summary = model.summary();
  std::vector<int> stages;
  for (const LayerSummary& layer : summary.layers) stages.push_back(layer.stage);
  RecordingWriter recorder(std::move(stages));
  progress.report(0, "Recording");
  const std::vector<float> logits = runNetwork(model, scene.input, &recorder);
  RecordingFile& file = recorder.file();
  if (!logits.empty()) file.add("logits", torch::tensor(logits));
  // No recording's region reaches beyond its picture.
  if (!scene.picture || recorder.seen()) {
    addInput(scene.input, recorder.seen(), summary.transform, file);
  } else {
    addPicture(scene, file);
  }
  addWords(summary, file);
  progress.throwIfCancelled();
  writeRecording(path, file);
  return summary.layers.size();
}

}  // namespace softscope
