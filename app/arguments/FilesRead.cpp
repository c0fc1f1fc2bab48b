#include "app/arguments/FilesRead.h"

#include "app/arguments/ModelArguments.h"
#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/survey/PictureList.h"

#include <filesystem>
#include <system_error>

namespace softscope {

std::vector<std::string> filesRead(const std::vector<std::string>& models,
                                   const std::vector<std::string>& others) {
  std::vector<std::string> files;
  for (const std::string& model : models) {
    const std::vector<std::string> all = filesOfModel(model);
    files.insert(files.end(), all.begin(), all.end());
  }
  for (const std::string& other : others) {
    if (other.empty()) continue;
    files.push_back(other);
    if (!other.ends_with(".survey")) continue;
    // Files that SQLite keeps beside a database while it is written.
    for (const char* ending : {"-journal", "-wal", "-shm"}) files.push_back(other + ending);
  }
  return files;
}

std::vector<std::string> filesReadFor(const ModelArguments& models,
                                      const std::vector<std::string>& others) {
  std::vector<std::string> files = filesRead(models.checkpoints, others);
  files.insert(files.end(), models.classNames.begin(), models.classNames.end());
  return files;
}

void keepOutOf(const std::string& folder, const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path filled = fs::weakly_canonical(folder, ignored);
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    for (fs::path place = fs::weakly_canonical(input, ignored); place.has_relative_path();) {
      place = place.parent_path();
      if (place != filled) continue;
      throw FileError(folder,
                      "holds " + input + ", which is read here; give another folder to write to");
    }
  }
}

std::vector<std::string> filesRead(const PictureList& pictures) {
  std::vector<std::string> files;
  for (const PictureList::Entry& entry : pictures.entries) files.push_back(pictures.pathOf(entry));
  return files;
}

}  // namespace softscope
