#include "widgets/figure/SweepFile.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/files/AtomicFolder.h"
#include "core/motion/Motion.h"
#include "core/text/Words.h"
#include "widgets/figure/FigureFile.h"

#include <QtCore/QBuffer>
#include <QtCore/QByteArray>
#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace softscope {
namespace {

namespace fs = std::filesystem;

/// A thousand frames of two megapixels.
constexpr double mostPixels = 2e9;
/// The part of the work after which only the disk is waited for.
constexpr double drawnPart = 0.97;

/// The frames of a sweep as pictures of one size.
class SweepImages {
 public:
  SweepImages(const AlignedSweep& sweep, int width) : sweep_(sweep) {
    const QSizeF shape = sweep.size();
    size_ = QSize(width, std::max(1, int(std::lround(width * shape.height() / shape.width()))));
    const double pixels = double(sweep.count()) * size_.width() * size_.height();
    if (size_.height() <= longestMotionSide && pixels <= mostPixels) return;
    throw Error(countedText(static_cast<std::int64_t>(sweep.count()), "frame") + " of " +
                std::to_string(size_.width()) + " x " + std::to_string(size_.height()) +
                " pixels are too many; choose fewer frames, fewer heads or smaller frames");
  }

  std::size_t count() const { return sweep_.count(); }

  QImage image(std::size_t index) const {
    QImage image(size_, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) throw Error("there is not enough memory for a frame of this size");
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    sweep_.paint(painter, QRectF(QPointF(0, 0), QSizeF(size_)), index);
    return image;
  }

  MotionFrame frame(std::size_t index) const {
    const QImage pixels = image(index).convertToFormat(QImage::Format_RGBA8888);
    MotionFrame frame{pixels.width(), pixels.height(), {}};
    for (int y = 0; y < pixels.height(); ++y) {
      const uchar* line = pixels.constScanLine(y);
      frame.rgba.insert(frame.rgba.end(), line, line + 4 * pixels.width());
    }
    return frame;
  }

 private:
  const AlignedSweep& sweep_;
  QSize size_;
};

/// Returns names that sort in the order of the frames: `frame_01.png`, ...
std::string frameName(std::size_t index, std::size_t count) {
  const std::string number = std::to_string(index + 1);
  const std::size_t digits = std::max<std::size_t>(2, std::to_string(count).size());
  return "frame_" + std::string(digits - number.size(), '0') + number + ".png";
}

/// The PNG keyword under which a frame says that a sweep wrote it. Such frames are replaced;
/// pictures of the user's with the same names are not.
constexpr const char* originKeyword = "Software";
constexpr const char* originOfFrames = "softscope figure sweep";

std::string pngOf(QImage image) {
  image.setText(QLatin1String(originKeyword), QLatin1String(originOfFrames));
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) throw Error("a frame could not be encoded as PNG");
  return bytes.toStdString();
}

bool hasNameOfFrame(const fs::path& path) {
  static const std::regex frame("frame_[0-9]+[.]png");
  return std::regex_match(path.filename().string(), frame);
}

/// True for a frame of any sweep, by its name and by what it says of its origin.
bool isFrame(const fs::path& path) {
  if (!hasNameOfFrame(path)) return false;
  // Texts precede the pixels, with nothing long before them.
  std::array<char, 1024> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), std::ssize(head));
  const std::string_view bytes(head.data(), static_cast<std::size_t>(file.gcount()));
  std::string text = std::string("tEXt") + originKeyword;
  text += '\0';
  return bytes.starts_with("\x89PNG\r\n\x1a\n") &&
         bytes.find(text + originOfFrames) != std::string_view::npos;
}

/// Removes what an earlier sweep left in the folder beyond the last frame.
void removeFramesBeyond(const std::string& folder, std::size_t count) {
  std::set<std::string> written;
  for (std::size_t i = 0; i < count; ++i) written.insert(frameName(i, count));
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (!written.contains(name) && isFrame(entry.path())) fs::remove(entry.path(), failed);
  }
}

void writeFrames(const std::string& path, const SweepImages& images, const Progress& progress) {
  const std::size_t count = images.count();
  writeFolderAtomically(path, frameName(count - 1, count), [&](const std::string& folder) {
    for (std::size_t i = 0; i < count; ++i) {
      progress.report(double(i) / double(count), "Drawing frames");
      writeFileAtomically(folder + "/" + frameName(i, count), pngOf(images.image(i)),
                          Durability::Soon);
    }
  });
  removeFramesBeyond(path, count);
}

void writeMotion(const std::string& path, const SweepImages& images, const MotionPace& pace,
                 const Progress& progress) {
  const auto encode = endingOf(path) == ".gif" ? encodeGif : encodeWebP;
  const Progress drawing = progress.part(0, drawnPart, "Drawing frames");
  writeFileAtomically(
      path,
      encode(
          images.count(), [&](std::size_t index) { return images.frame(index); }, pace, drawing));
}

/// Throws FileError unless frames can go into the folder, and nothing but frames of sweeps is in
/// it.
void checkFolder(const std::string& path) {
  const fs::path folder = fs::absolute(path).lexically_normal();
  std::error_code failed;
  if (!fs::exists(folder, failed)) {
    checkWritable((folder.has_filename() ? folder : folder.parent_path()).string());
    return;
  }
  if (!fs::is_directory(folder, failed)) {
    throw FileError(path, "is a file; a sweep's name ends in .gif or .webp, or is a folder's");
  }
  checkWritable((folder / "frame").string());
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (isFrame(entry.path())) continue;
    const std::string holds = "holds " + entry.path().filename().string();
    if (hasNameOfFrame(entry.path())) {
      throw FileError(path, holds +
                                ", which does not say that a sweep wrote it; remove it, or name "
                                "a new folder");
    }
    throw FileError(path, holds +
                              "; a sweep's frames go into a folder of their own, a new one or "
                              "that of another sweep");
  }
}

}  // namespace

bool isSweepFolder(const std::string& path) {
  return !path.empty() && endingOf(path).empty();
}

void checkSweepEnding(const std::string& path, const FigureSettings& figure) {
  const std::string ending = endingOf(path);
  if (ending == ".gif" && figure.background == FigureSettings::Background::Transparent) {
    throw FileError(path,
                    "a GIF has no partly transparent pixels; choose a white or a dark background, "
                    "or .webp");
  }
  if (ending.empty() || ending == ".gif" || ending == ".webp") return;
  throw FileError(path,
                  "a sweep's name ends in .gif or .webp, or in nothing: it is a folder of numbered "
                  ".png then");
}

void checkSweepPath(const std::string& path, const FigureSettings& figure) {
  checkSweepEnding(path, figure);
  if (isSweepFolder(path)) return checkFolder(path);
  checkWritable(path);
}

void saveSweep(const std::string& path, const SweepFrames& frames, const SweepSettings& settings,
               const FigureSettings& figure, const Progress& progress) {
  checkSweepPath(path, figure);
  if (frames.size() < 2)
    throw Error("a sweep has two frames or more, and this has " +
                countedText(std::ssize(frames), "frame"));
  if (frames.size() > mostSweptFrames) {
    throw Error("a sweep has at most " + countedText(mostSweptFrames, "frame") + ", not " +
                std::to_string(frames.size()));
  }
  const AlignedSweep sweep(frames, figure);
  const SweepImages images(sweep, settings.frameWidth);
  if (isSweepFolder(path)) {
    writeFrames(path, images, progress);
  } else {
    writeMotion(path, images, {settings.framesPerSecond, settings.loops}, progress);
  }
}

}  // namespace softscope
