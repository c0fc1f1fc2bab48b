#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"
#include "core/analysis/Share.h"
#include "core/inspect/Inspection.h"
#include "core/inspect/InspectionOptions.h"
#include "core/inspect/TokenInspection.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"

#include <functional>
#include <memory>

namespace softscope {

/// These functions give the window access to networks without depending on them; the application
/// passes in the implementations. All run on the worker.
using ModelOpener =
    std::function<std::shared_ptr<const Model>(const ModelRequest&, const Progress&)>;
using ModelInspector = std::function<std::shared_ptr<const Inspection>(
    const Model&, const InputTensor&, const Progress&, const InspectionOptions&)>;
using TokenInspector = std::function<std::shared_ptr<const TokenInspection>(
    const Model&, const InputTensor&, const Progress&)>;
using ShareMeasurer = std::function<std::shared_ptr<const ModelShare>(
    const Model&, const InputTensor&, const ShareRequest&, const Progress&)>;

/// Measures one point of a cost figure. The application passes in the implementation, which knows
/// about networks and processes. Runs on the worker. May throw Cancelled.
using CostRunner = std::function<CostPoint(const CostRequest&, const Progress&)>;

}  // namespace softscope
