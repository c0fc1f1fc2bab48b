#pragma once

#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QStringList>
#include <QtTest/QTest>

namespace softscope::test {

/// Waits until the open models have these names and nothing is computed any more. Returns false if
/// that does not come.
inline bool comesTo(Workspace& workspace, const QStringList& names) {
  return QTest::qWaitFor(
      [&] {
        QStringList now;
        for (const OpenedModel& model : workspace.models().all()) now += model.name();
        return now == names && !workspace.worker().isBusy();
      },
      patience);
}

}  // namespace softscope::test
