#include "models/identify/OtherNetworks.h"

#include "core/text/FileText.h"
#include "models/identify/Adapters.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

/// The attention that a network has, if any; it decides what is advised.
enum class Looks {
  Attention,
  OfChannels,  ///< attention over channels or by one vector, without a matrix over tokens
  OfText,      ///< attention between words
  OfSound,     ///< attention between moments of sound
  None,
};

/// A network recognised by parts of names: each of `has` occurs in some name, and none of `lacks`
/// in any. `#` stands for a number, `^` for the beginning of a name.
struct OtherNetwork {
  std::string_view name;
  std::vector<std::string_view> has;
  std::vector<std::string_view> lacks = {};
  Looks looks = Looks::Attention;
  /// True for names that people give to networks of their own as well.
  bool isCommon = false;
  /// Rows of the table `wte`, if they alone tell it from a network of the same names; otherwise 0.
  std::int64_t words = 0;
};

constexpr bool commonNames = true;
/// ImageGPT's words are 512 colours and a start.
constexpr std::int64_t wordsOfImageGpt = 513;
/// Parts of names of networks that see pictures as well.
const std::vector<std::string_view> ofPictures{"vision", "visual", "patch", "image"};

/// Networks whose names include those of others come first.
const std::vector<OtherNetwork>& otherNetworks() {
  static const std::vector<OtherNetwork> all{
      // Networks with windows.
      {"a relative of Swin Transformer V2", {"continuous_position_bias_mlp."}},
      {"a relative of Swin Transformer V2", {".attn.cpb_mlp."}},
      {"timm's own Swin Transformer V2 (swinv2_cr)", {".attn.meta_mlp."}},
      {"MaxViT", {".attn_grid."}},
      {"MaxViT", {".partition_attention."}},
      {"MaxViT", {".window_attention.attn_layer."}},
      {"MaxViT", {".grid_attention.attn_layer."}},
      {"MaxViT", {"layers.#.#.fn.rel_pos_bias.", "layers.#.#.fn.to_qkv."}},
      {"GC ViT", {".global_block."}},
      {"CoAtNet", {".attn.rel_pos.", ".conv2_kxk."}},
      {"BEiT or Data2Vec", {"encoder.layer.#.lambda_1", "attention.attention.query."}},
      {"BEiT or Data2Vec", {"layer.#.lambda_1", "attention.q_proj."}, {"projection_layer."}},
      {"BEiT or Data2Vec", {"layers.#.lambda_1", "attention.k_proj."}, {"projection_layer."}},
      {"a relative of Swin Transformer", {"layers.#.blocks.#.", "relative_position_bias_table"}},
      {"a relative of Swin Transformer", {"features.#.#.attn.relative_position_bias_table"}},
      {"MViT", {".attn.pool_q."}},
      {"MViT", {".attn.norm_pool_q."}},
      {"SegGPT", {"embeddings.segment_token_input"}},
      {"Segment Anything's image encoder", {"neck.", "rel_pos_h"}},
      {"Segment Anything's image encoder",
       {"^neck.#.", "^blocks.#.attn.qkv.", "^pos_embed"},
       {"cls_token", "^norm."}},
      {"ViTDet", {".attn.rel_pos_h"}},
      {"ViTDet", {"encoder.layer.#.attention.qkv.", "embeddings.projection."}},
      {"Hiera", {"blocks.#.proj.", "blocks.#.attn.qkv."}, {}, Looks::Attention, commonNames},
      {"Hiera", {"^pos_embed_win"}},
      {"Hiera", {"stages.#.layers.#.attn.qkv.", "layernorm_before."}},
      {"Florence-2", {"language_model.", ".channel_block."}},
      {"CSWin Transformer", {"stage#.#.attns.#.get_v."}},
      // Pyramids.
      {"RMT", {"layers.#.Relpos.angle", ".retention."}},
      {"EfficientViT-SAM", {"image_encoder.backbone.stages.#.op_list."}},
      {"DC-AE, an autoencoder", {"decoder.stages.#.op_list."}},
      {"DC-AE, an autoencoder", {"stages.#.op_list.", "project_in."}},
      {"SecViT, SSViT or another relative of RAVLT", {"layers.#.RoPE.angle"}, {".attn.qkvo."}},
      {"ViTTT or another network whose attention is trained on each picture (TTT)",
       {"blocks.#.attn.w1", "blocks.#.attn.qkv."},
       {".attn.w1.", ".attn.w12"}},
      {"SegFormer", {"attention.self.sr."}},
      {"PVT", {"attention.self.sequence_reduction."}},
      {"Twins", {"pos_block.#.proj."}},
      {"PVT", {"block#.#.attn.sr."}},
      {"TinyViT", {"attention_biases", "local_conv."}},
      {"EfficientFormer V2", {"talking_head#."}},
      {"EfficientFormer", {"token_mixer.attention_biases"}},
      {"EfficientViT of Microsoft", {".attn.dws.", "attention_biases"}},
      {"LeViT", {"attention_biases"}},
      {"LeViT", {"layers.#.#.pos_indices", "layers.#.#.pos_bias.", ".to_q.0."}},
      {"CoaT", {"serial_blocks"}},
      {"CrossViT", {"blocks.#.fusion.#."}},
      {"CrossViT", {"multi_scale_encoder."}},
      {"PiT", {"transformers.#.blocks.#.", "transformers.#.pool."}},
      {"PiT", {"layers.#.downsample.net.", "layers.#.cls_ff."}},
      {"PiT with shifted patches", {"layers.#.merging.#.", "layers.#.class_linear."}},
      {"NesT", {"levels.#.transformer_encoder."}},
      {"NesT", {"layers.#.#.pos_emb", "layers.#.#.layers.#.#.to_qkv."}},
      {"Visformer", {"stage#.#.attn.qkv.", "patch_embed#."}, {}, Looks::Attention, commonNames},
      {"DaViT", {"blocks.#.#.cpe#."}},
      {"DaViT", {".channel_block.cpe#."}},
      {"EdgeNeXt", {".xca."}, {}, Looks::OfChannels},
      {"Next-ViT", {".mhca."}},
      {"MobileViTv2",
       {".attn.qkv_proj.", ".mlp.fc1."},
       {"blocks."},
       Looks::OfChannels,
       commonNames},
      {"MobileViTv2", {"attention.qkv_proj.convolution."}, {}, Looks::OfChannels},
      {"MobileViT under timm's names", {"stages.#.#.transformer.#.attn.qkv."}},
      {"CAFormer", {"token_mixer.qkv.", "res_scale#."}},
      {"a MobileNet with attention", {"blocks.#.#.attn.query.proj."}},
      {"iFormer", {".mixer.module.q.c."}},
      {"SHViT", {".mixer.m.qkv.c."}},
      {"CSATv2", {"stem_dct."}},
      {"BoTNet or HaloNet", {"self_attn.pos_embed."}},
      {"LambdaNet", {"conv_lambda"}},
      {"LambdaNet", {"self_attn.pos_emb", "self_attn.norm_q."}},
      {"a ResNet with bilinear attention", {".attn.ba.conv_p."}},
      {"CPUBone", {".conv_proj.conv.", ".pwise.", ".upsampling.#."}},
      {"LowFormer", {".conv_proj.conv.", ".pwise.", ".upsampling."}},
      {"FastViT", {"token_mixer.qkv."}},
      {"VOLO", {"network.#.#.attn.v."}},
      {"TNT", {"blocks.#.attn_in."}},
      // Relatives of the plain vision transformer.
      {"a vision transformer with prompts in every block (deep VPT)", {"deep_prompt"}},
      {"a vision transformer with prompts that are chosen for each picture (L2P, DualPrompt)",
       {"prompt_key"}},
      {"a vision transformer with prompts in its blocks (DualPrompt)",
       {"e_prompt.prompt"},
       {},
       Looks::Attention,
       commonNames},
      {"a vision transformer with prompts in its blocks (DualPrompt)",
       {"^g_prompt"},
       {},
       Looks::Attention,
       commonNames},
      {"a network behind a prompt of pixels", {"pad_up"}},
      {"CaiT under other names", {"mix_heads_pre_attn"}},
      {"Castling-ViT or another vision transformer with a convolution beside its attention",
       {"blocks.#.attn.dconv.", "blocks.#.attn.qkv."}},
      {"DeepViT", {"reattn_weights"}},
      {"DeepViT", {"reatten_matrix"}},
      {"CCT", {"classifier.attention_pool.", "tokenizer.conv_layers."}},
      {"EVA-02 under its authors' names", {"blocks.#.attn.q_proj.", ".attn.inner_attn_ln."}},
      {"a relative of BEiT, EVA-02 or DINOv3", {"blocks.#.gamma_1"}, {"gamma_3"}},
      {"a relative of BEiT or EVA with other parts", {"^blocks.#.attn.q_bias"}},
      {"torchvision's vision transformer behind a stem of convolutions",
       {"conv_proj.conv_bn_relu_#."}},
      {"a vision transformer with rotary positions", {"rope.freqs"}},
      {"a vision transformer with differential attention", {"lambda_q1"}},
      {"a vision transformer whose attention and mlp run side by side",
       {"blocks.#.in_proj."},
       {},
       Looks::Attention,
       commonNames},
      {"vit-pytorch's parallel_vit, whose attentions run side by side",
       {".0.fns.#.to_qkv.", ".1.fns.#.net."}},
      {"a vision transformer whose attentions run side by side", {"blocks.#.attns.#.attn.qkv."}},
      {"a vision transformer with relative positions", {".attn.rel_pos."}},
      {"a vision transformer with relative positions", {"shared_rel_pos."}},
      {"AIMv2", {".mlp.fc1_g.", "patch_embed.norm."}},
      {"AIMv2", {"embeddings.rms_norm.", ".ffn.gate_proj."}},
      {"a vision transformer behind a convolutional network", {"patch_embed.backbone."}},
      {"NaFlexViT", {"embeds.proj."}, {}, Looks::Attention, commonNames},
      {"Perception Encoder", {"^norm_pre.", "^attn_pool."}},
      {"Perception Encoder or another vision transformer without a norm behind its blocks",
       {"^norm_pre."},
       {"^norm.", "^fc_norm."}},
      {"DeepSeek's image encoder", {"aligner.fc1.", "blocks.#.attn.qkv."}},
      {"DeepSeek's image encoder or a relative of it, without biases in norms and mlps",
       {"blocks.#.attn.qkv.", "blocks.#.mlp.fc1.weight", "blocks.#.norm1.weight", "patch_embed."},
       {"blocks.#.norm1.bias", "blocks.#.mlp.fc1.bias", "pos_embed", "cls_token", "reg_token",
        ".attn.q_norm.", "rope", "relative_position", ".ls1.", "lambda", "gamma"}},
      {"Qwen's image encoder", {"merger.fc1.", "blocks.#.attn.qkv."}},
      {"Qwen's image encoder", {"merger.ln_q.", "blocks.#.attn.qkv."}},
      {"Qwen's image encoder or another vision transformer without a norm behind its blocks",
       {"^pos_embed", "^patch_embed.proj.", "^blocks.#.attn.qkv.", "^blocks.#.norm1.bias"},
       {"^norm.", "^fc_norm.", "cls_token", "reg_token", "norm_pre", ".ls#.", "gamma", "rope",
        "rel_pos", "relative_position", "attn_pool.", "mask_token", "decoder"}},
      {"Gemma's image encoder", {"position_embedding_table", ".attn.q_proj.linear."}},
      {"Sapiens2", {"blocks.#.attn.wq.", "blocks.#.ffn.w12.", "storage_tokens"}},
      {"SwiftFormer under Hugging Face's names",
       {"network.#.blocks.#.depth_wise_conv.", ".attn.w_g"}},
      {"YOLOS", {"embeddings.detection_tokens"}},
      {"ViLT", {"embeddings.text_embeddings."}},
      {"TimeSformer", {"time_embeddings"}},
      {"TimeSformer", {"encoder.layer.#.attention.attention.qkv."}},
      {"EoMT", {"upscale_block.block.#.", "mask_head.fc#."}},
      {"VideoMAE", {"attention.attention.q_bias"}},
      {"V-JEPA", {"encoder.layer.#.attention.proj.", "predictor."}},
      {"a diffusion transformer (DiT)", {".adaLN_modulation."}},
      {"ImageGPT", {".attn.c_attn.", "wte."}, {}, Looks::Attention, commonNames, wordsOfImageGpt},
      {"GroupViT", {"downsample.assign."}},
      {"OWL-ViT or OWLv2", {"box_head.dense#.", "class_head."}},
      {"BridgeTower", {"cross_modal_image_layers."}},
      {"LXMERT", {"encoder.r_layers.#.", "encoder.x_layers.#."}},
      {"VisualBERT", {"embeddings.visual_token_type_embeddings."}},
      {"Perceiver", {"embeddings.latents", "encoder.cross_attention.attention."}},
      {"the image encoder of Llama 3.2", {"gated_positional_embedding.", "global_transformer."}},
      {"InternViT under Hugging Face's names", {"attention.projection_layer.", "lambda_1"}},
      {"X-CLIP", {".message_attn."}},
      {"CLIP's ResNet", {"attnpool.", "layer1.0.conv1."}},
      {"the network for texts of CLIP", {"^transformer.resblocks.", "token_embedding."}},
      {"BLIP", {"embeddings.class_embedding", "self_attn.qkv."}},
      {"Pixtral's image encoder",
       {"patch_conv.", "transformer.layers.#.attention."},
       {},
       Looks::Attention,
       commonNames},
      {"D-FINE", {"encoder.fpn_blocks.#.csp_rep1.", "decoder.layers.#."}},
      {"RT-DETR", {"encoder.fpn_blocks.#.", "decoder.layers.#.encoder_attn.sampling_offsets."}},
      {"DETR", {"conv_encoder."}},
      {"DETR", {"class_embed.", "bbox_embed."}},
      // Diffusion.
      {"Stable Diffusion's network or a relative", {"input_blocks.#.1.transformer_blocks."}},
      {"Stable Diffusion's network or a relative",
       {"down_blocks.#.attentions.#.transformer_blocks."}},
      {"the autoencoder of a diffusion network", {"mid_block.attentions.#.to_q."}},
      {"the autoencoder of a diffusion network", {"mid.attn_1.q."}},
      // Text and sound.
      {"GPT-2 or a relative", {".attn.c_attn.", "wte."}, ofPictures, Looks::OfText, commonNames},
      {"DistilBERT", {"word_embeddings.", ".q_lin."}, ofPictures, Looks::OfText},
      {"BERT or a relative",
       {"word_embeddings.", "token_type_embeddings."},
       ofPictures,
       Looks::OfText},
      {"T5 or a relative", {"SelfAttention.relative_attention_bias."}, {}, Looks::OfText},
      {"LLaMA or a relative", {"embed_tokens.", ".mlp.gate_proj."}, ofPictures, Looks::OfText},
      {"LLaMA or a relative", {"tok_embeddings.", ".feed_forward.w1."}, ofPictures, Looks::OfText},
      {"a language model", {"embed_tokens."}, ofPictures, Looks::OfText},
      {"a language model", {"word_embeddings."}, ofPictures, Looks::OfText},
      {"a language model of Mamba's kind",
       {".mixer.A_log", "embedding.weight"},
       ofPictures,
       Looks::OfText},
      {"a language model of Mamba's kind",
       {".mixer.A_log", "embeddings.weight"},
       ofPictures,
       Looks::OfText},
      {"the network for texts of CLIP",
       {"embeddings.token_embedding.", ".mlp.fc1."},
       ofPictures,
       Looks::OfText},
      {"Whisper", {"encoder.conv1.", ".cross_attn."}, ofPictures, Looks::OfSound},
      {"Whisper", {"encoder.conv1.", ".encoder_attn."}, ofPictures, Looks::OfSound},
      {"Audio Spectrogram Transformer", {"audio_spectrogram_transformer."}, {}, Looks::OfSound},
      {"Audio Spectrogram Transformer",
       {"distillation_token", "classifier.dense.", "classifier.layernorm."},
       {},
       Looks::OfSound},
      {"wav2vec 2.0 or a relative", {"feature_extractor.conv_layers."}, {}, Looks::OfSound},
      {"MambaVision", {"levels.#.blocks.#.mixer.conv1d_x."}},
      {"a state-space network of Mamba's kind", {".mixer.A_log"}},
      {"EfficientViM", {".mixer.BCdt_proj."}},
      // Networks without attention.
      {"FocalNet", {".modulation."}, {}, Looks::None},
      {"gMLP", {"mlp_channels.gate."}, {}, Looks::None},
      {"MLP-Mixer", {"mlp_tokens.", "mlp_channels."}, {}, Looks::None},
      {"ResMLP", {"linear_tokens."}, {}, Looks::None},
      {"Sequencer", {"rnn_tokens."}, {}, Looks::None},
      {"ConvFormer", {"token_mixer.dwconv.", "token_mixer.pwconv#."}, {}, Looks::None},
      {"FastViT", {"token_mixer.mixer.conv_kxk."}, {}, Looks::None},
      {"RepViT", {".token_mixer.conv.c.", ".channel_mixer.conv1.c."}, {}, Looks::None},
      {"StarNet", {".dwconv2.conv.", ".f1.conv.", ".f2.conv."}, {"attn"}, Looks::None},
      {"MambaOut",
       {"stages.#.blocks.#.fc1.", "stages.#.blocks.#.conv.", "stages.#.blocks.#.fc2."},
       {"attn"},
       Looks::None,
       commonNames},
      {"ConvNeXt",
       {".conv_dw.", ".mlp.fc1.", "stem.#."},
       {"attn", "qkv", "xca", "token_mixer."},
       Looks::None},
      {"ConvNeXt", {"dwconv.", "pwconv1."}, {"attn", "attention"}, Looks::None},
      {"ConvNeXt", {"depthwise_conv.", "pointwise_conv1."}, {"attn", "attention"}, Looks::None},
      {"PoolFormer", {"before_norm.", "layer_scale_1"}, {"attention"}, Looks::None},
      {"PoolFormer", {".res_scale#.", ".mlp.act.scale"}, {"token_mixer."}, Looks::None},
      {"PoolFormer", {".layer_scale1.scale", "stages.#.blocks.#."}, {"token_mixer."}, Looks::None},
      {"DenseNet", {"denselayer#."}, {}, Looks::None},
      {"EfficientNet or MobileNet", {"blocks.#.#.conv_pw.", "conv_stem."}, {"attn"}, Looks::None},
      {"EfficientNet or MobileNet", {"features.#.#.block.#."}, {}, Looks::None},
      {"RegNet", {"s#.b#.conv#."}, {}, Looks::None},
      {"a network of ResNet's kind",
       {"layer1.0.conv1.", "bn1."},
       {"attn", "nonlocal", "nl", "transition"},
       Looks::None},
      {"ResNet or RegNet", {"embedder.embedder.", "stages.#.layers.#."}, {"attn"}, Looks::None},
      {"EfficientNet", {"_conv_stem.", "._depthwise_conv."}, {"attn"}, Looks::None},
      {"MobileNet V2", {"features.#.conv.#.#."}, {"attn", "attention"}, Looks::None},
      {"U-Net", {"double_conv."}, {"att", "psi", "qkv", "query"}, Looks::None, commonNames},
      {"YOLO", {".cv1.conv.", ".m.#.cv2.conv."}, {"attn", "qkv"}, Looks::None, commonNames},
      {"StyleGAN's generator", {"synthesis.b#.conv", "mapping.fc#."}, {"attn"}, Looks::None},
      {"VGG", {"^features.0.weight", "^classifier.0.weight"}, {"bn"}, Looks::None, commonNames},
  };
  return all;
}

bool isDigit(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

/// Returns true if `text` begins with `part`, in which `#` stands for a number.
bool beginsWith(std::string_view text, std::string_view part) {
  std::size_t at = 0;
  for (const char wanted : part) {
    if (wanted != '#') {
      if (at == text.size() || text[at] != wanted) return false;
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    if (at == begin) return false;
  }
  return true;
}

bool holds(std::string_view name, std::string_view part) {
  if (part.starts_with('^')) return beginsWith(name, part.substr(1));
  for (std::size_t at = name.find(part.front()); at != std::string_view::npos;
       at = name.find(part.front(), at + 1)) {
    if (beginsWith(name.substr(at), part)) return true;
  }
  return false;
}

bool anyHolds(const StateDict& state, std::string_view part) {
  return std::ranges::any_of(state.entries(),
                             [&](const auto& entry) { return holds(entry.name, part); });
}

/// Longer names than any network's are not searched.
bool hasNamesOfANetwork(const StateDict& state) {
  constexpr std::size_t mostLetters = 1 << 20;
  std::size_t letters = 0;
  for (const StateDict::Entry& entry : state.entries()) letters += entry.name.size();
  return letters <= mostLetters;
}

/// Returns the table of a network's words, or null.
const StateDict::Entry* tableOfWords(const StateDict& state) {
  constexpr std::string_view names[] = {"wte.weight",
                                        "word_embeddings.weight",
                                        "embed_tokens.weight",
                                        "tok_embeddings.weight",
                                        "token_embedding.weight",
                                        "shared.weight",
                                        "embedding.weight",
                                        "embeddings.weight"};
  const auto isTable = [&](const StateDict::Entry& entry) {
    return entry.tensor.dim() == 2 &&
           std::ranges::any_of(names, [&](auto name) { return entry.name.ends_with(name); });
  };
  const auto found = std::ranges::find_if(state.entries(), isTable);
  return found == state.entries().end() ? nullptr : &*found;
}

/// Returns true if a name is of queries, by which no network is without attention: a convolutional
/// one may stand beside a transformer.
bool hasQueries(const StateDict& state) {
  constexpr std::string_view queries[] = {"qkv.", "to_q.", "q_proj.", ".query.", "in_proj_weight"};
  return std::ranges::any_of(queries, [&](std::string_view part) { return anyHolds(state, part); });
}

/// Returns true if there is a convolution over grey or coloured pictures, as no network for text
/// has one.
bool convolvesPictures(const StateDict& state) {
  return std::ranges::any_of(state.entries(), [](const StateDict::Entry& entry) {
    const bool isFilter = entry.tensor.dim() == 4 && entry.name.ends_with(".weight");
    return isFilter && (entry.tensor.size(1) == 1 || entry.tensor.size(1) == 3) &&
           entry.tensor.size(2) > 1;
  });
}

bool isOf(const StateDict& state, const OtherNetwork& network) {
  if (network.looks == Looks::OfText && convolvesPictures(state)) return false;
  if (network.words > 0) {
    const StateDict::Entry* table = tableOfWords(state);
    if (table == nullptr || table->tensor.size(0) != network.words) return false;
  }
  const auto there = [&](std::string_view part) { return anyHolds(state, part); };
  return std::ranges::all_of(network.has, there) && std::ranges::none_of(network.lacks, there) &&
         (network.looks != Looks::None || !hasQueries(state));
}

/// Returns ` ('wte.weight' has 50257 words)`; empty without such a table.
std::string wordsText(const StateDict& state) {
  const StateDict::Entry* table = tableOfWords(state);
  if (table == nullptr) return {};
  return " (" + quotedText(table->name) + " has " + std::to_string(table->tensor.size(0)) +
         " words)";
}

}  // namespace

std::string otherNetworkText(const StateDict& state, NamesOfOthers names) {
  if (!hasNamesOfANetwork(state)) return {};
  std::string adapters = adapterText(state, names == NamesOfOthers::All);
  if (!adapters.empty()) return adapters;
  const auto& all = otherNetworks();
  const auto found = std::ranges::find_if(all, [&](const OtherNetwork& network) {
    return !(network.isCommon && names == NamesOfOthers::Unmistakable) && isOf(state, network);
  });
  if (found == all.end()) return {};
  const std::string name(found->name);
  switch (found->looks) {
    case Looks::None:
      return name + ", a network without attention, so there is nothing to look at";
    case Looks::OfChannels:
      return name +
             ", which Softscope does not open yet; it has no attention over tokens to record, but "
             "softscope.jacobian() of the Python package (docs/python.md) measures what mixes them";
    case Looks::OfText:
      return name + ", a network for text and not for pictures" + wordsText(state) + "; " +
             recordingAdvice();
    case Looks::OfSound:
      return name + ", a network for sound and not for pictures; " + recordingAdvice();
    case Looks::Attention:
      break;
  }
  return name + ", which Softscope does not open yet; " + recordingAdvice();
}

std::string otherModelText(const std::string& modelType) {
  struct Known {
    std::string_view modelType, name;
    bool isOfSound = false;
  };
  constexpr Known known[] = {
      {"audio-spectrogram-transformer", "Audio Spectrogram Transformer", true},
      {"lw_detr", "LW-DETR"},
      {"lw_detr_vit", "LW-DETR's network for pictures"},
      {"sam_vision_model", "Segment Anything's image encoder"},
      {"sapiens2", "Sapiens2"},
      {"timesformer", "TimeSformer"},
      {"video_llama_3_vision", "VideoLLaMA 3's network for pictures"},
      {"videomae", "VideoMAE"},
      {"vitdet", "ViTDet"},
      {"vitpose", "ViTPose"},
      {"vitpose_backbone", "ViTPose"},
      {"vivit", "ViViT"},
  };
  const auto* found = std::ranges::find(known, std::string_view(modelType), &Known::modelType);
  if (found == std::end(known)) return {};
  return std::string(found->name) +
         (found->isOfSound ? ", a network for sound and not for pictures"
                           : ", which Softscope does not open yet") +
         ", as model_type in config.json says; " + recordingAdvice();
}

std::string recordingAdvice() {
  return "record its attention with the Python package softscope "
         "(docs/python.md), and open the "
         "recording";
}

}  // namespace softscope
