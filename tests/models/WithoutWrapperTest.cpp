#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "models/WithoutWrapper.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A file with DeiT's tensors below two prefixes, but for the second's that `isLeftOut` names.
template <typename IsLeftOut>
Checkpoint twice(const std::string& one, const std::string& other, const IsLeftOut& isLeftOut) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const Checkpoint own = readCheckpoint(file.request().path);
  Checkpoint both = own;
  both.state = {};
  for (const StateDict::Entry& entry : own.state.entries()) {
    both.state.insert(one + entry.name, entry.tensor);
    if (!isLeftOut(entry.name)) both.state.insert(other + entry.name, entry.tensor);
  }
  return both;
}

TEST(WithoutWrapper, OfTwoNetworksOfOneKindNoneIsTaken) {
  const auto none = [](const std::string&) { return false; };
  const auto refusal = [](const Checkpoint& checkpoint) {
    return test::messageOf<ModelError>([&] { withoutWrapper(checkpoint); });
  };
  EXPECT_THAT(refusal(twice("vit_rgb.", "vit_depth.", none)),
              AllOf(HasSubstr("holds 2 networks of one kind, below 'vit_depth.', 'vit_rgb.'"),
                    HasSubstr("save the state_dict() of the one")));
  const auto lastBlock = [](const std::string& name) { return name.starts_with("blocks.1."); };
  EXPECT_THAT(refusal(twice("models.0.", "models.1.", lastBlock)),
              HasSubstr("'models.0.', 'models.1.'"));
  // A decoder has no patches to embed.
  const auto patches = [](const std::string& name) { return name.starts_with("patch_embed."); };
  EXPECT_EQ(withoutWrapper(twice("net.encoder.", "net.decoder.", patches)).prefix, "net.encoder.");
}

}  // namespace
}  // namespace softscope
