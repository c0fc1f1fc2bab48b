#include "app/window/FileExchange.h"
#include "app/window/OpenFiles.h"
#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QMimeData>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>

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

TEST(OpenFiles, WhatOpensAsAModelIsNoPictureWhenItIsDropped) {
  const auto kindOf = [](const QString& name) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/folder/") + name)});
    return offeredFiles(data).front().kind;
  };
  for (const std::string& pattern : modelPatterns()) {
    const QString name = QString::fromStdString(pattern).replace(u'*', QStringLiteral("a.b"));
    EXPECT_EQ(kindOf(name), OfferedFile::Kind::Model) << pattern;
  }
  for (const char* name :
       {"a.pt2", "A.PTH", "a.pth.tar", "model-00001-of-00002.safetensors",
        "model.safetensors.index.json", "model.safetensors.index.fp16.json", "rec.npz"}) {
    EXPECT_EQ(kindOf(QLatin1String(name)), OfferedFile::Kind::Model) << name;
  }
  for (const char* name : {"a.png", "a.json", "pt2", "index.json", "a.pt3"}) {
    EXPECT_EQ(kindOf(QLatin1String(name)), OfferedFile::Kind::Picture) << name;
  }
}

TEST(OpenFiles, EveryCheckpointThatIsFoundInAFolderIsAModel) {
  const QTemporaryDir folder;
  for (const char* ending : {"safetensors", "pth", "pt", "ckpt", "bin", "pt2"}) {
    QFile file(folder.filePath(QStringLiteral("a.") + QLatin1String(ending)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  }
  const std::vector<std::string> found = checkpointsIn(folder.path().toStdString());
  EXPECT_EQ(found.size(), 6u);
  for (const std::string& name : found) EXPECT_TRUE(endsAsModel(name)) << name;
}

}  // namespace
}  // namespace softscope
