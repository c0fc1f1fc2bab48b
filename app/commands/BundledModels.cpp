#include "app/commands/BundledModels.h"

#include "core/Error.h"
#include "core/files/Resources.h"
#include "models/OpenModel.h"

#include <QtCore/QDir>
#include <QtCore/QLocale>

namespace softscope {
namespace {

QString entry(const ModelSummary& summary, const char* key) {
  const auto found = summary.metadata.find(key);
  return found == summary.metadata.end() ? QString() : QString::fromStdString(found->second);
}

/// Softscope's own trainer writes only a fraction; other files use words.
QString accuracyInWords(const QString& accuracy) {
  bool isNumber = false;
  const double fraction = accuracy.toDouble(&isNumber);
  return isNumber ? QStringLiteral("%1 %").arg(100 * fraction, 0, 'f', 2) : accuracy;
}

/// Returns `90.81 %` from `90.81 % at 160 x 160, 577 validation pictures`.
QString accuracyAlone(const QString& words) {
  const auto percent = words.indexOf(QLatin1Char('%'));
  return percent < 0 ? words : words.left(percent + 1);
}

LibraryModel describeModel(const QFileInfo& file) {
  ModelRequest request;
  request.path = file.filePath().toStdString();
  const ModelSummary summary = identifyModel(request);
  const QString accuracy = accuracyInWords(entry(summary, "accuracy"));
  return {file.filePath(),
          file.completeBaseName(),
          QString::fromStdString(summary.mechanism),
          entry(summary, "dataset"),
          accuracyAlone(accuracy),
          accuracy,
          QStringLiteral("%1 M").arg(double(summary.parameters) / 1e6, 0, 'f', 2),
          QLocale::c().formattedDataSize(file.size(), 1, QLocale::DataSizeSIFormat)};
}

}  // namespace

std::vector<LibraryModel> bundledModels() {
  std::vector<LibraryModel> models;
  const QDir folder(QString::fromStdString(resourcePath("checkpoints")));
  for (const QFileInfo& file :
       folder.entryInfoList({QStringLiteral("*.safetensors")}, QDir::Files, QDir::Name)) {
    try {
      models.push_back(describeModel(file));
    } catch (const Error&) {
      // The installation is damaged; opening the file will report what is wrong with it.
    }
  }
  return models;
}

}  // namespace softscope
