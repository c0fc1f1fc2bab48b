#include "core/checkpoint/ByteCursor.h"
#include "core/checkpoint/CheckpointFormats.h"
#include "core/checkpoint/Pickle.h"
#include "core/files/Malformed.h"
#include "core/files/ZipArchive.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <map>
#include <utility>

namespace softscope {

namespace {

class ZipStorages : public StorageSource {
 public:
  ZipStorages(std::unique_ptr<ZipArchive> archive, std::string folder)
      : archive_(std::move(archive)), folder_(std::move(folder)) {}

  torch::Tensor bytes(const std::string& key) override {
    const auto known = storages_.find(key);
    if (known != storages_.end()) return known->second;
    const auto index = archive_->find(folder_ + key);
    if (!index) throw Malformed("has no storage: the archive lacks " + quotedText("data/" + key));
    archive_->admit(*index);
    const auto size = static_cast<std::int64_t>(archive_->entries()[*index].size);
    torch::Tensor storage = torch::empty({size}, torch::kByte);
    archive_->read(*index, storage.data_ptr());
    return storages_.emplace(key, std::move(storage)).first->second;
  }

 private:
  std::unique_ptr<ZipArchive> archive_;
  std::string folder_;
  std::map<std::string, torch::Tensor> storages_;
};

bool hasEntry(const ZipArchive& archive, auto&& matches) {
  return std::ranges::any_of(archive.entries(),
                             [&](const ZipArchive::Entry& entry) { return matches(entry.name); });
}

[[noreturn]] void failWithoutPickle(const ZipArchive& archive) {
  const auto isArray = [](const std::string& name) { return name.ends_with(".npy"); };
  constexpr std::string_view endings[] = {".pth",  ".pt",  ".safetensors",
                                          ".ckpt", ".bin", ".pth.tar"};
  const auto isWeights = [&](const std::string& name) {
    return std::ranges::any_of(endings,
                               [&](std::string_view ending) { return name.ends_with(ending); });
  };
  const auto isKeras = [](const std::string& name) { return name.ends_with(".weights.h5"); };
  const auto isCompiled = [](const std::string& name) {
    return name.find("data/aotinductor/") != std::string::npos;
  };
  if (hasEntry(archive, isKeras)) {
    throw Malformed(
        "is a Keras model, not a checkpoint of PyTorch's; load its weights into a network of "
        "PyTorch's and save the state_dict() of that");
  }
  if (hasEntry(archive, isCompiled)) {
    throw Malformed(
        "holds a program that AOTInductor compiled; save the state_dict() of the network, or the "
        "program with torch.export.save()");
  }
  if (hasEntry(archive, isArray)) {
    throw Malformed(
        "is a NumPy .npz archive, not a checkpoint; load its arrays into a network of PyTorch's "
        "and save the state_dict() of that");
  }
  if (hasEntry(archive, isWeights)) {
    throw Malformed("is a zip archive around a checkpoint; unpack it and give the file inside");
  }
  throw Malformed("is a zip archive without data.pkl, so torch.save did not write it");
}

/// Returns the folder that holds data.pkl, with its slash. Throws Malformed if there is none, or
/// several, of which PyTorch reads none.
std::string findFolder(const ZipArchive& archive) {
  constexpr std::string_view pickle = "data.pkl";
  const std::string* found = nullptr;
  for (const ZipArchive::Entry& entry : archive.entries()) {
    if (entry.name != pickle && !entry.name.ends_with("/data.pkl")) continue;
    if (found) {
      throw Malformed("is a zip archive of several checkpoints (" + quotedText(*found) + ", " +
                      quotedText(entry.name) + "); unpack it and make an archive of each folder");
    }
    found = &entry.name;
  }
  if (!found) failWithoutPickle(archive);
  return found->substr(0, found->size() - pickle.size());
}

void refuseTorchScript(const ZipArchive& archive, const std::string& folder) {
  const auto isCode = [&](const std::string& name) {
    return name == folder + "constants.pkl" || name.starts_with(folder + "code/");
  };
  if (hasEntry(archive, isCode)) {
    throw Malformed("is a TorchScript archive; save the model's state_dict() instead");
  }
}

void refuseBigEndian(ZipArchive& archive, const std::string& folder) {
  const auto index = archive.find(folder + "byteorder");
  if (!index) return;  // Before PyTorch 2.1 this entry did not exist, nor did big-endian files.
  constexpr std::uint64_t longest = 16;
  const std::string order =
      archive.entries()[*index].size <= longest ? archive.readWhole(*index) : std::string();
  if (order == "little") return;
  if (order == "big") {
    throw Malformed("was written on a big-endian machine; load and save it on a little-endian one");
  }
  throw Malformed("is damaged: it does not say its byte order");
}

/// Throws if the pickle is too long, because it is held in memory as a whole beside the values made
/// from it. PyTorch stores it uncompressed, at a kilobyte for every few tensors.
void refuseLongPickle(std::uint64_t size, std::uint64_t fileSize) {
  constexpr std::uint64_t longestOfSmallFile = std::uint64_t{12} << 20;
  if (size <= longestOfSmallFile + fileSize) return;
  throw Malformed("has pickle data of " + std::to_string(size >> 20) +
                  " MB, far more than its own size; save only the state_dict");
}

}  // namespace

PickledCheckpoint openZipCheckpoint(std::unique_ptr<ZipArchive> archive) {
  PickledCheckpoint checkpoint;
  checkpoint.fileSize = archive->fileSize();
  const std::string folder = findFolder(*archive);
  refuseTorchScript(*archive, folder);
  refuseBigEndian(*archive, folder);

  const std::size_t pickle = *archive->find(folder + "data.pkl");
  refuseLongPickle(archive->entries()[pickle].size, checkpoint.fileSize);
  ByteCursor cursor(archive->readWhole(pickle));
  checkpoint.tree = std::make_unique<PickleTree>(checkpoint.fileSize);
  checkpoint.root = &readPickle(cursor, *checkpoint.tree);
  refuseProtocolZero(*checkpoint.tree);
  checkpoint.storages = std::make_unique<ZipStorages>(std::move(archive), folder + "data/");
  return checkpoint;
}

}  // namespace softscope
