#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/HostileFiles.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string numpyArray = "cnumpy.core.multiarray\n_reconstruct\n)R";
const std::string numbers =
    "]K\x01"
    "a";
const std::string tupleOfLists = "(" + numbers + numbers + "t";

/// A state dict with a tensor called `tensor`, and with a further entry.
class OtherValue : public testing::Test {
 protected:
  Checkpoint read(const std::string& tensor, const std::string& name,
                  const std::string& value) const {
    std::string pickle = pickleOf({});
    const std::string usual = pickledText("a");
    pickle.replace(pickle.find(usual), usual.size(), pickledText(tensor));
    pickle.replace(pickle.size() - 1, 1, pickledText(name) + value + "s.");
    const std::string path = folder_.file("other.pth");
    writeBytes(path, zipOf(checkpointEntries(pickle, std::string(8, '\1'))));
    return readCheckpoint(path);
  }

  std::string refusalOf(const std::string& name, const std::string& value) const {
    return test::messageOf<CheckpointError>([&] { read("blocks.0.weight", name, value); });
  }

  const TemporaryFolder folder_;
};

TEST_F(OtherValue, ThatIsAWeightInAnotherFormIsRefusedByName) {
  EXPECT_THAT(refusalOf("blocks.1.weight", numpyArray),
              HasSubstr("holds 'blocks.1.weight' as a NumPy array"));
  EXPECT_THAT(refusalOf("blocks.0.gamma", numpyArray), HasSubstr("torch.from_numpy()"));
  EXPECT_THAT(refusalOf("norm.bias", numpyArray), HasSubstr("'norm.bias'"));
  EXPECT_THAT(refusalOf("pos_embed", numpyArray), HasSubstr("'pos_embed'"));
  EXPECT_THAT(refusalOf("blocks.1.weight", numbers), HasSubstr("as a list of numbers"));
  EXPECT_THAT(refusalOf("blocks.0.table", tupleOfLists), HasSubstr("torch.tensor()"));
  EXPECT_THAT(refusalOf("blocks.0.bias", "N"), HasSubstr("as None"));
  EXPECT_THAT(refusalOf("blocks.0.qkv._packed_params.dtype", "ctorch\nqint8\n"),
              HasSubstr("as quantised weights"));
  EXPECT_THAT(refusalOf("blocks.0.bias", "K\x01"), HasSubstr("that is no tensor"));
}

TEST_F(OtherValue, OfTheNameOfATensorIsTheLast) {
  EXPECT_THAT(refusalOf("blocks.0.weight", "N"), HasSubstr("'blocks.0.weight' as None"));
}

TEST_F(OtherValue, InAModuleIsListed) {
  EXPECT_THAT(read("blocks.0.weight", "blocks.0.scale", "K\x01").beside,
              ElementsAre("blocks.0.scale"));
  EXPECT_THAT(read("module.blocks.0.weight", "module.blocks.0.scale", "K\x01").beside,
              ElementsAre("module.blocks.0.scale"));
}

TEST_F(OtherValue, OfNoModuleIsPassedOver) {
  for (const auto& [name, value] : {std::pair<std::string, std::string>("epoch", "K\x01"),
                                    {"best", numpyArray},
                                    {"losses", numbers},
                                    {"optimizer.state", "N"},
                                    {"blocks.0._extra_state", "N"}}) {
    EXPECT_THAT(read("blocks.0.weight", name, value).beside, IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace softscope
