#include "core/array/Npz.h"

#include "core/Error.h"
#include "core/array/NpyFormat.h"
#include "core/files/AtomicFile.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/PartFile.h"
#include "core/files/ZipArchive.h"
#include "core/text/FileText.h"

#include <zip.h>

#include <memory>
#include <new>

namespace softscope {

namespace {

constexpr std::string_view npyExtension = ".npy";
// 1 January 1980, the first day that zip can store: the same arrays must give the same bytes.
constexpr zip_uint16_t fixedDate = 1 << 5 | 1;

struct Discarder {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using WritableZip = std::unique_ptr<zip_t, Discarder>;

WritableZip createZip(const std::string& temporary, const std::string& path) {
  int code = 0;
  WritableZip archive(zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw FileError(path, "cannot be written: " + reason);
}

[[noreturn]] void failToWrite(zip_t* archive, const std::string& path) {
  const int system = zip_error_code_system(zip_get_error(archive));
  if (system > 0) throw FileError(path, writeFailure(system));
  throw FileError(path, std::string("cannot be written: ") + zip_strerror(archive));
}

[[noreturn]] void failToName(const std::string& name, const std::string& path) {
  throw FileError(path, "cannot hold an array named " + quotedText(name) +
                            ": no .npz has control characters in names, or the same name twice; "
                            "write a .safetensors, or give another name");
}

/// Adds a member to the archive. `bytes` must stay in place until the archive is closed.
void addMember(zip_t* archive, const std::string& name, const std::string& bytes,
               zip_int32_t compression, const std::string& path) {
  // libzip would end the name there.
  if (name.find('\0') != std::string::npos) failToName(name, path);
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  if (!source) throw FileError(path, "cannot be written: out of memory");
  const zip_int64_t index =
      zip_file_add(archive, (name + std::string(npyExtension)).c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    failToName(name, path);
  }
  const zip_uint64_t member = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, member, compression, 6) != 0 ||
      zip_file_set_dostime(archive, member, 0, fixedDate, 0) != 0) {
    failToWrite(archive, path);
  }
}

void closeZip(WritableZip& archive, const std::string& path) {
  if (zip_close(archive.get()) != 0) failToWrite(archive.get(), path);
  static_cast<void>(archive.release());
}

NamedArrays decodeMembers(ZipArchive& archive) {
  NamedArrays arrays;
  for (std::size_t index = 0; index < archive.entries().size(); ++index) {
    std::string name = archive.entries()[index].name;
    if (!name.ends_with(npyExtension)) throw Malformed("is a zip archive, but not of .npy arrays");
    name.resize(name.size() - npyExtension.size());
    const std::string bytes = archive.readWhole(index);
    if (parseNpyHeader(bytes).type.starts_with("<U")) continue;
    arrays.emplace_back(std::move(name), decodeNpy(bytes));
  }
  return arrays;
}

}  // namespace

void writeNpz(const std::string& path, const NamedArrays& arrays,
              const std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, array] : arrays) members.emplace_back(name, encodeNpy(array));
  if (!notes.empty()) members.emplace_back("notes", encodeNpyTexts(notes));
  writeNpzMembers(path, members);
}

void writeNpzMembers(const std::string& path,
                     const std::vector<std::pair<std::string, std::string>>& members) {
  if (members.empty()) throw FileError(path, "cannot be written: there is no array to write");
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : members) total += bytes.size();
  // Readers refuse an archive that unpacks to far more than its size, and attention with constant
  // rows compresses a thousandfold.
  const zip_int32_t compression = total < inflationLimit(0) ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
  writeFileAtomically(path, [&](const std::string& temporary) {
    WritableZip archive = createZip(temporary, path);
    for (const auto& [name, bytes] : members) {
      addMember(archive.get(), name, bytes, compression, path);
    }
    closeZip(archive, path);
  });
}

NamedArrays readNpz(const std::string& path) {
  try {
    InputFile file(path);
    if (!file.head(2).starts_with("PK")) throw Malformed("is not a .npz archive");
    ZipArchive archive(path, inflationLimit(file.size()));
    return decodeMembers(archive);
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw FileError(path, "does not fit in memory");
  }
}

}  // namespace softscope
