#include "app/window/OpenFiles.h"
#include "core/Error.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

TEST(OpenFiles, KeptPicturesAndVectorsAreNotWrittenOver) {
  const QTemporaryDir folder;
  const auto made = [&](const char* name) {
    QFile file(folder.filePath(QLatin1String(name)));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    return file.fileName().toStdString();
  };
  const std::string kept = made("kept.png");
  const std::string vectors = made("words.npy");
  const std::string free = made("free.png");
  Workspace workspace(test::syntheticEngine());
  AnalysisSettings settings = workspace.analysis().settings();
  settings.of<TokenSettings>().kept = {kept};
  settings.of<TokenSettings>().vectors = {vectors};
  workspace.analysis().set(settings);
  EXPECT_THROW(refuseOpenFile(workspace, kept), FileError);
  EXPECT_THROW(refuseOpenFile(workspace, vectors), FileError);
  EXPECT_NO_THROW(refuseOpenFile(workspace, free));
}

}  // namespace
}  // namespace softscope
