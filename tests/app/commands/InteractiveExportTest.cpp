#include "app/figures/drawing/HeadlessApplication.h"
#include "app/window/InteractiveExport.h"
#include "app/window/MainWindow.h"
#include "core/network/Device.h"
#include "models/NetworkEngine.h"
#include "tests/app/commands/Run.h"
#include "tests/app/window/WindowFixture.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

using test::contentOf;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string boxOfWindow = std::string(SOFTSCOPE_SOURCE) + "/resources/";

/// The window on a bundled model.
class InteractiveExportTest : public test::WindowFixture {
 protected:
  static void SetUpTestSuite() { application_ = std::make_unique<HeadlessApplication>(); }
  static void TearDownTestSuite() { application_.reset(); }

  InteractiveExportTest() {
    // A sum does not depend on the number of threads then, so that both pages are the same.
    setComputeThreads(1);
    WindowOptions options;
    options.threads = 1;
    options.picturePath = boxOfWindow + "pictures/chelsea.png";
    ModelRequest request;
    request.path = boxOfWindow + "checkpoints/soft_everyday10.safetensors";
    options.models.push_back(request);
    start(networkEngine(), std::move(options));
  }
  static inline std::unique_ptr<HeadlessApplication> application_;
};

TEST_F(InteractiveExportTest, WritesTheChosenLayersAndTheCommandForThem) {
  const TemporaryFolder folder;
  const std::string path = folder / "page.html";
  InteractiveExport& exported = window_->interactiveExport();
  QSignalSpy written(&exported, &InteractiveExport::written);
  window_->workspace().layers().setDirection(Direction::Columns);
  settle();
  exported.write({QStringLiteral("block3.0.att.mha.attn")}, QString::fromStdString(path));
  settle();
  ASSERT_EQ(written.count(), 1);
  const std::string page = contentOf(path);
  EXPECT_THAT(page, HasSubstr("\"name\":\"block3.0.att.mha.attn\""));
  EXPECT_THAT(page, Not(HasSubstr("\"name\":\"block2.0.att.mha.attn\"")));
  EXPECT_THAT(page, HasSubstr("\"direction\":\"columns\""));

  // Its command writes the same page, but for the command itself.
  const std::size_t from = page.find("softscope figure page -m ");
  ASSERT_NE(from, std::string::npos);
  const std::string command = page.substr(from, page.find("\",", from) - from);
  EXPECT_THAT(command, HasSubstr("--layer block3.0.att.mha.attn"));
  const auto outcome = test::softscope(command.substr(std::string("softscope ").size()));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(contentOf(path), page);
}

TEST_F(InteractiveExportTest, SaysWhatCannotBeWritten) {
  QSignalSpy failed(&window_->interactiveExport(), &InteractiveExport::failed);
  QSignalSpy jobFailed(&window_->workspace().jobs(), &Jobs::failed);
  const QStringList layers{QStringLiteral("block3.0.att.mha.attn")};
  window_->interactiveExport().write(layers, QStringLiteral("/nowhere/page.html"));
  settle();
  window_->interactiveExport().write(layers, QStringLiteral("page.png"));
  ASSERT_EQ(jobFailed.count(), 1);
  EXPECT_THAT(jobFailed[0][0].value<WorkFailure>().message.toStdString(), HasSubstr("/nowhere"));
  ASSERT_EQ(failed.count(), 1);
  EXPECT_THAT(failed[0][0].toString().toStdString(), HasSubstr(".html"));
}

TEST_F(InteractiveExportTest, ASecondPageAndOtherWorkLeaveTheFirst) {
  const TemporaryFolder folder;
  InteractiveExport& exported = window_->interactiveExport();
  QSignalSpy written(&exported, &InteractiveExport::written);
  const QStringList layers{QStringLiteral("block3.0.att.mha.attn")};
  exported.write(layers, QString::fromStdString(folder / "first.html"));
  exported.write(layers, QString::fromStdString(folder / "second.html"));
  window_->workspace().worker().cancelAll();
  settle();
  ASSERT_EQ(written.count(), 2);
  EXPECT_EQ(written[0][0].toString().toStdString(), folder / "first.html");
  EXPECT_EQ(written[1][0].toString().toStdString(), folder / "second.html");
}

}  // namespace
}  // namespace softscope
