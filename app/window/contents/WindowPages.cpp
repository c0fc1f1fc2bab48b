#include "app/window/contents/WindowPages.h"

#include "widgets/pages/BottleneckPage.h"
#include "widgets/pages/ConvergencePage.h"
#include "widgets/pages/MatrixPage.h"
#include "widgets/pages/NormsPage.h"
#include "widgets/pages/OverviewPage.h"
#include "widgets/pages/RolloutPage.h"
#include "widgets/pages/SaliencyPage.h"
#include "widgets/pages/SharePage.h"
#include "widgets/pages/SpectrumPage.h"
#include "widgets/pages/TokensPage.h"

#include <QtCore/QCoreApplication>

namespace softscope {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("WindowPages", text);
}

template <typename AnalysisPage>
Page* make(Workspace& workspace) {
  return new AnalysisPage(workspace);
}

}  // namespace

const std::vector<WindowPage>& windowPages() {
  static const std::vector<WindowPage> pages = {
      {"heads", tr("&Heads"), "Ctrl+1", nullptr},
      {"compare", tr("&Compare"), "Ctrl+2", nullptr},
      {"overview", tr("&Overview"), "Ctrl+3", make<OverviewPage>},
      {"saliency", tr("Sal&iency"), "Alt+1", make<SaliencyPage>},
      {"rollout", tr("Rollout"), "Alt+0", make<RolloutPage>},
      {"tokens", tr("To&kens"), "Alt+9", make<TokensPage>},
      {"matrix", tr("Matri&x"), "Alt+2", make<MatrixPage>},
      {"spectrum", tr("Spectr&um"), "Alt+3", make<SpectrumPage>},
      {"bottleneck", tr("&Bottleneck"), "Alt+4", make<BottleneckPage>},
      {"convergence", tr("Con&vergence"), "Alt+5", make<ConvergencePage>},
      {"norms", tr("&Norms"), "Alt+6", make<NormsPage>},
      {"share", tr("Sha&re"), "Alt+7", make<SharePage>},
      {"cost", tr("Cos&t"), "Alt+8", nullptr},
      {"survey", tr("Surve&y"), "Ctrl+5", nullptr},
      {"models", tr("&Models"), "Ctrl+4", nullptr},
  };
  return pages;
}

}  // namespace softscope
