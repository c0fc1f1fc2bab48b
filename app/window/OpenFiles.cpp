#include "app/window/OpenFiles.h"

#include "core/files/CheckpointFiles.h"
#include "core/files/Overwriting.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <vector>

namespace softscope {

void refuseOpenFile(const Workspace& workspace, const std::string& path) {
  std::vector<std::string> open{workspace.analysis().settings().of<SurveySettings>().file};
  const TokenSettings& tokens = workspace.analysis().settings().of<TokenSettings>();
  open.insert(open.end(), tokens.kept.begin(), tokens.kept.end());
  open.insert(open.end(), tokens.vectors.begin(), tokens.vectors.end());
  if (workspace.picture().isFile()) open.push_back(workspace.picture().get()->path);
  for (const OpenedModel& model : workspace.models().all()) {
    const std::vector<std::string> files = filesOfModel(model.request.path);
    open.insert(open.end(), files.begin(), files.end());
    if (model.request.classNames) open.push_back(*model.request.classNames);
  }
  refuseToOverwrite(path, open);
}

}  // namespace softscope
