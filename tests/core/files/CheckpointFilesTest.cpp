#include "core/files/CheckpointFiles.h"
#include "core/files/Malformed.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TrainersFolder : public testing::Test {
 protected:
  void add(const std::string& name) const {
    const std::filesystem::path path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  }

  std::string refusal() const {
    return test::messageOf<Malformed>([&] { checkpointFileOf(folder_.path()); });
  }

  const test::TemporaryFolder folder_;
};

TEST_F(TrainersFolder, HasStatesThatAreNoCheckpoints) {
  for (const char* state : {"optimizer.bin", "optimizer_1.bin", "scheduler.bin", "scaler.pt",
                            "rng_state_0.pth", "random_states_0.pt", "training_args.bin",
                            "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"}) {
    add(state);
  }
  EXPECT_THAT(refusal(), HasSubstr("is a folder without a checkpoint in it; give the file"));
  add("best.pth");
  EXPECT_EQ(checkpointFileOf(folder_.path()), folder_.file("best.pth"));
  add("optimizer_free_vit.pth");
  EXPECT_THAT(checkpointsIn(folder_.path()), ElementsAre("best.pth", "optimizer_free_vit.pth"));
}

TEST_F(TrainersFolder, SaysWhichFolderInItHasTheCheckpoint) {
  add("latest");
  add("hparams.yaml");
  add("checkpoints/epoch=1.ckpt");
  EXPECT_THAT(refusal(), HasSubstr("its folder 'checkpoints' has 'epoch=1.ckpt'; give that"));
}

TEST_F(TrainersFolder, MayHoldADistributedCheckpoint) {
  add("scheduler.bin");
  add("pytorch_model_fsdp_0/__0_0.distcp");
  add("pytorch_model_fsdp_0/.metadata");
  EXPECT_THAT(refusal(), HasSubstr("has in its folder 'pytorch_model_fsdp_0' a checkpoint of "
                                   "torch.distributed.checkpoint"));
  EXPECT_THAT(test::messageOf<Malformed>(
                  [&] { checkpointFileOf(folder_.file("pytorch_model_fsdp_0/.metadata")); }),
              HasSubstr("dcp_to_torch_save(FOLDER, FILE)"));
}

}  // namespace
}  // namespace softscope
