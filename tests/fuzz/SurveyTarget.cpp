#include "core/Error.h"
#include "core/survey/reading/SurveyReader.h"
#include "tests/fuzz/InputOnDisk.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = softscope::fuzz::onDisk(data, size, ".survey");
  const softscope::fuzz::RuleWatch watch(size);
  try {
    softscope::SurveyReader survey(path);
    for (std::size_t measure = 0; measure < survey.index()->measures.size(); ++measure) {
      static_cast<void>(survey.read(static_cast<int>(measure)));
    }
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
