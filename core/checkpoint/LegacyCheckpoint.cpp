#include "core/checkpoint/ByteCursor.h"
#include "core/checkpoint/CheckpointFormats.h"
#include "core/checkpoint/Pickle.h"
#include "core/checkpoint/PickledTensor.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"

#include <map>
#include <utility>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

struct StoragePlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class LegacyStorages : public StorageSource {
 public:
  LegacyStorages(std::unique_ptr<InputFile> file, std::map<std::string, StoragePlace> places)
      : file_(std::move(file)), places_(std::move(places)) {}

  torch::Tensor bytes(const std::string& key) override {
    const auto known = storages_.find(key);
    if (known != storages_.end()) return known->second;
    const auto place = places_.find(key);
    if (place == places_.end())
      throw Malformed("has no storage: the file lacks " + quotedText(key));
    const StoragePlace& where = place->second;
    torch::Tensor storage = torch::empty({static_cast<std::int64_t>(where.size)}, torch::kByte);
    file_->read(where.offset, storage.data_ptr(), static_cast<std::size_t>(where.size));
    return storages_.emplace(key, std::move(storage)).first->second;
  }

 private:
  std::unique_ptr<InputFile> file_;
  std::map<std::string, StoragePlace> places_;
  std::map<std::string, torch::Tensor> storages_;
};

bool isMagicNumber(const PickleValue& value) {
  constexpr std::string_view binary("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
  constexpr std::string_view decimal = "119547037146038801333356";
  return value.is(Kind::BigInteger) && (value.text == binary || value.text == decimal);
}

void checkPreamble(ByteCursor& cursor, PickleTree& tree) {
  if (!isMagicNumber(readPickle(cursor, tree))) {
    throw Malformed(
        "is a Python pickle, but not one that torch.save wrote; save it with torch.save");
  }
  const PickleValue& version = readPickle(cursor, tree);
  constexpr std::int64_t knownVersion = 1001;
  if (!version.is(Kind::Integer) || version.integer != knownVersion) {
    throw Malformed(
        "has an unknown version of PyTorch's older format; save it with a newer PyTorch");
  }
  const PickleValue& machine = readPickle(cursor, tree);
  const PickleValue* littleEndian = findEntry(machine.entries, "little_endian");
  if (littleEndian && littleEndian->is(Kind::Bool) && littleEndian->integer == 0) {
    throw Malformed("was written on a big-endian machine; load and save it on a little-endian one");
  }
}

/// Returns the bytes per element of every storage that the pickled value names.
std::map<std::string, std::uint64_t> elementSizes(const PickleTree& tree) {
  std::map<std::string, std::uint64_t> sizes;
  for (const PickleValue* identifier : tree.persistentIds()) {
    if (!isPickledStorage(*identifier)) continue;
    const PickledStorage storage = describeStorage(*identifier);
    sizes[storage.key] = c10::elementSize(storage.type);
  }
  return sizes;
}

/// Finds the position of each storage. Every storage begins with its element count, so this walks
/// through all of them.
std::map<std::string, StoragePlace> locateStorages(
    ByteCursor& cursor, const PickleValue& keys,
    const std::map<std::string, std::uint64_t>& elementSizes) {
  std::map<std::string, StoragePlace> places;
  if (!keys.is(Kind::List)) throw Malformed("is damaged: its list of storages is missing");
  for (const PickleValue* key : keys.items) {
    const auto elementSize = elementSizes.find(key->text);
    if (elementSize == elementSizes.end()) {
      throw Malformed("is damaged: it holds a storage that no tensor has");
    }
    if (cursor.remaining() < 8)
      throw Malformed("is truncated: storages are missing; fetch it again");
    const std::uint64_t count = cursor.littleEndian(8);
    if (count > cursor.remaining() / elementSize->second) {
      throw Malformed("is truncated: the storage " + quotedText(key->text) +
                      " ends beyond the file; fetch it again");
    }
    const std::uint64_t size = count * elementSize->second;
    places[key->text] = {cursor.position(), size};
    cursor.skip(size);
  }
  return places;
}

}  // namespace

PickledCheckpoint openLegacyCheckpoint(const std::string& path) {
  auto file = std::make_unique<InputFile>(path);
  PickledCheckpoint checkpoint;
  checkpoint.fileSize = file->size();
  checkpoint.tree = std::make_unique<PickleTree>(checkpoint.fileSize);
  ByteCursor cursor(*file, 0);
  checkPreamble(cursor, *checkpoint.tree);
  checkpoint.root = &readPickle(cursor, *checkpoint.tree);
  refuseProtocolZero(*checkpoint.tree);
  const std::map<std::string, std::uint64_t> sizes = elementSizes(*checkpoint.tree);
  const PickleValue& keys = readPickle(cursor, *checkpoint.tree);
  auto places = locateStorages(cursor, keys, sizes);
  checkpoint.storages = std::make_unique<LegacyStorages>(std::move(file), std::move(places));
  return checkpoint;
}

}  // namespace softscope
