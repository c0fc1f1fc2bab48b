#include "core/recording/EarlierDump.h"

#include "core/Error.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/Overwriting.h"
#include "core/files/PartFile.h"
#include "core/json/ParsedJson.h"
#include "core/recording/RecordingKeys.h"

#include <nlohmann/json.hpp>

#include <system_error>

namespace softscope {

namespace {

namespace fs = std::filesystem;

/// Returns the arrays of an earlier dump in the folder, by the names of their files: those that its
/// layers.json names or may stand beside these, whether they are there or not. Empty if there was
/// none.
std::vector<std::string> arraysOfEarlierDump(const fs::path& folder,
                                             const std::vector<std::string>& suffixes) {
  std::vector<std::string> arrays;
  try {
    const nlohmann::json layers =
        parsedJson(wholeFile((folder / dumpedLayers).string(), longestDumpedLayers, "is too long"));
    if (!layers.is_array() || layers.empty()) return {};
    for (const nlohmann::json& layer : layers) {
      layer.at(dumpedMechanismKey).get<std::string>();
      const fs::path values(layer.at(dumpedFileKey).get<std::string>());
      if (values.has_parent_path() || values.extension() != ".npy") return {};
      for (const std::string& suffix : suffixes) {
        arrays.push_back(values.stem().string() + suffix + ".npy");
      }
    }
  } catch (const nlohmann::json::exception&) {
    return {};  // Softscope did not write it.
  } catch (const Malformed&) {
    return {};  // There is none, or Softscope would not read it.
  }
  for (const char* stem : dumpedOutputs) arrays.push_back(std::string(stem) + ".npy");
  return arrays;
}

}  // namespace

std::vector<fs::path> leftOfEarlierDump(const std::string& folder, const fs::path& written,
                                        const std::vector<std::string>& suffixes,
                                        const std::vector<std::string>& inputs) {
  std::vector<fs::path> left;
  std::error_code failed;
  for (const std::string& name : arraysOfEarlierDump(folder, suffixes)) {
    const fs::path path = fs::path(folder) / name;
    const fs::file_status status = fs::symlink_status(path, failed);
    const bool isFile = fs::is_regular_file(status) || fs::is_symlink(status);
    if (!isFile || fs::exists(written / name, failed)) continue;
    refuseToOverwrite(path.string(), inputs);
    left.push_back(path);
  }
  return left;
}

void removeFiles(const std::vector<fs::path>& files) {
  std::error_code failed;
  for (const fs::path& file : files) {
    if (!fs::remove(file, failed) && failed) {
      throw FileError(file.string(), writeFailure(failed.value()));
    }
  }
}

void keepInputs(const std::string& folder, const std::string& written,
                const std::vector<std::string>& inputs) {
  for (const auto& entry : fs::directory_iterator(written)) {
    refuseToOverwrite(fs::path(folder) / entry.path().filename(), inputs);
  }
}

}  // namespace softscope
