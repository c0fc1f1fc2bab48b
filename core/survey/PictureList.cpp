#include "core/survey/PictureList.h"

#include "core/Error.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/Sha256.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <climits>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace softscope {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> pictureEndings = {".jpg", ".jpeg", ".png", ".webp",
                                                            ".tif", ".tiff", ".bmp"};

bool isNamedLikeAPicture(const fs::path& path) {
  const std::string ending = lowerCase(path.extension().string());
  return std::ranges::find(pictureEndings, ending) != pictureEndings.end();
}

/// Walks through folders, including those that links lead to, and visits each once, in an order
/// that does not depend on the file system.
class FolderWalk {
 public:
  explicit FolderWalk(PictureList& list) : list_(list) {}

  void visit(const fs::path& folder, const fs::path& relative) {
    std::error_code error;
    if (!visited_.insert(fs::weakly_canonical(folder, error).string()).second) return;
    std::vector<SubFolder> folders;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      std::error_code ignored;
      if (name.front() == '.') continue;
      if (entry->is_directory(ignored)) {
        folders.emplace_back(entry->is_symlink(ignored), name);
      } else {
        take(relative / name, *entry);
      }
    }
    if (error) throw DataSetError(folder.string(), "cannot be listed: " + error.message());
    std::sort(folders.begin(), folders.end());
    for (const auto& [isLink, name] : folders) visit(folder / name, relative / name);
  }

 private:
  /// Whether it is a link, and its name: sorted, folders come before links, which may lead to them.
  using SubFolder = std::pair<bool, std::string>;

  /// Lists what is named like a picture even if it is no file that can be read, such as a link that
  /// leads nowhere: reading it then fails with the reason.
  void take(const fs::path& file, const fs::directory_entry& entry) {
    std::error_code ignored;
    if (isNamedLikeAPicture(file)) {
      list_.entries.push_back({.path = file.string()});
    } else if (entry.is_regular_file(ignored)) {
      ++list_.passedOver;
    } else if (entry.is_symlink(ignored)) {
      list_.brokenLinks.push_back(file.string());
    }
  }

  PictureList& list_;
  std::set<std::string> visited_;
};

constexpr const char* notAPictureList =
    "is no folder, and no text file with the path of a picture on each line";

/// Returns the content of a list of pictures. Throws DataSetError for what cannot be one.
std::string contentOfList(const fs::path& file) {
  // A list of a million pictures has that many bytes.
  constexpr std::uint64_t longest = std::uint64_t{64} << 20;
  // A file that is no text, such as a video, is not read to its end.
  constexpr std::size_t tellingBytes = 4096;
  try {
    InputFile list(file.string());
    if (list.size() > longest) throw Malformed("is more than 64 MB long, and so no list of paths");
    const bool isText = list.head(tellingBytes).find('\0') == std::string::npos;
    if (!isText) throw Malformed(notAPictureList);
    return list.head(static_cast<std::size_t>(list.size()));
  } catch (const Malformed& malformed) {
    throw DataSetError(file.string(), malformed.what());
  }
}

/// Returns the lines of a text file without surrounding spaces and without empty lines.
std::vector<std::string> namedPictures(const fs::path& file) {
  const std::string text = contentOfList(file);
  std::string_view left = withoutByteOrderMark(text);
  std::vector<std::string> paths;
  while (!left.empty()) {
    std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    if (line.size() >= PATH_MAX || line.find('\0') != std::string_view::npos) {
      throw DataSetError(file.string(), notAPictureList);
    }
    paths.push_back(fs::path(line).lexically_normal().string());
  }
  return paths;
}

/// Returns `cat` for `cat/1.jpg`; nothing for a picture that is not in a folder.
std::optional<std::string> firstFolder(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || slash == 0) return std::nullopt;
  return path.substr(0, slash);
}

void findClasses(PictureList& list) {
  std::set<std::string> names;
  for (const PictureList::Entry& entry : list.entries) {
    const auto folder = firstFolder(entry.path);
    if (!folder || *folder == "..") return;
    names.insert(*folder);
  }
  if (names.size() < 2) return;
  list.classes.assign(names.begin(), names.end());
  for (PictureList::Entry& entry : list.entries) {
    const auto found = std::ranges::lower_bound(list.classes, *firstFolder(entry.path));
    entry.classIndex = static_cast<int>(found - list.classes.begin());
  }
}

void keepEvenly(std::int64_t limit, PictureList& list) {
  const std::int64_t total = std::ssize(list.entries);
  if (limit >= total) return;
  std::vector<PictureList::Entry> kept;
  for (std::int64_t i = 0; i < limit; ++i) {
    kept.push_back(std::move(list.entries[static_cast<std::size_t>(i * total / limit)]));
  }
  list.entries = std::move(kept);
}

std::string checksumOf(const PictureList& list) {
  Sha256 checksum;
  for (const PictureList::Entry& entry : list.entries) checksum.add(entry.path + '\n');
  return checksum.digest();
}

void listFolder(const fs::path& source, const std::optional<std::string>& split,
                PictureList& list) {
  std::error_code ignored;
  const fs::path ofSplit = source / split.value_or("val");
  if (fs::is_directory(ofSplit, ignored)) {
    list.folder = ofSplit.lexically_normal().string();
  } else if (split) {
    throw DataSetError(source.string(), "has no folder " + *split + "/; leave --split out");
  }
  FolderWalk(list).visit(list.folder, {});
}

void listTextFile(const fs::path& source, PictureList& list) {
  list.folder = source.parent_path().string();
  for (const std::string& path : namedPictures(source)) list.entries.push_back({.path = path});
}

void requireOnce(const std::string& source, const PictureList& list) {
  const auto twice = std::ranges::adjacent_find(list.entries, {}, &PictureList::Entry::path);
  if (twice == list.entries.end()) return;
  throw DataSetError(source, "names " + twice->path + " twice; a survey has a picture once");
}

}  // namespace

std::string PictureList::pathOf(const Entry& entry) const {
  return (fs::path(folder) / entry.path).string();
}

std::string PictureList::checksumWithSizes() const {
  Sha256 all;
  for (const Entry& entry : entries) {
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(pathOf(entry), missing);
    all.add(entry.path + '\0' + (missing ? "-" : std::to_string(size)) + '\n');
  }
  return all.digest();
}

PictureList listPictures(const std::string& source, const std::optional<std::string>& split,
                         std::optional<std::int64_t> limit) {
  std::error_code ignored;
  if (!fs::exists(source, ignored)) throw DataSetError(source, "does not exist");
  const fs::path absolute = fs::absolute(source).lexically_normal();
  PictureList list;
  list.folder = absolute.string();
  if (fs::is_directory(source, ignored)) {
    listFolder(absolute, split, list);
  } else {
    listTextFile(absolute, list);
  }
  std::ranges::sort(list.brokenLinks);
  if (list.folder.size() > 1 && list.folder.ends_with('/')) list.folder.pop_back();
  std::ranges::sort(list.entries, {}, &PictureList::Entry::path);
  requireOnce(source, list);
  if (list.entries.empty()) {
    throw DataSetError(
        source,
        "holds no picture; give a folder of JPEG, PNG, WebP, TIFF or BMP files, or a "
        "text file of their paths");
  }
  findClasses(list);
  if (limit) keepEvenly(*limit, list);
  list.checksum = checksumOf(list);
  return list;
}

PictureList namedPictures(const std::vector<std::string>& paths,
                          std::optional<std::int64_t> limit) {
  std::error_code ignored;
  if (paths.size() == 1 && std::filesystem::is_directory(paths.front(), ignored)) {
    return listPictures(paths.front(), std::nullopt, limit);
  }
  PictureList list;
  for (const std::string& path : paths) list.entries.push_back({.path = path});
  return list;
}

}  // namespace softscope
