"""Table entries for layers of smaller packages in plain torch, such as minGRU, xLSTM, S5 and RWKV-7."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import KeyPath, MappingKey, tree_map_with_path

from outside.entry import Entry
from outside.kernels import function, kernel_entry
from outside.mamba_triton import LIBRARY as MAMBA_SSM
from outside.mamba_triton import mamba
from outside.stepped import Adapted, by_tokens, entry
from outside.transformers_models import enlarge
from ratproof import of_causal_model
from ratproof.laws.kernels.adapters import transposed_states
from ratproof.laws.kernels.published import selective_scan, ssd
from ratproof.laws.models.inputs import Vectors

SIZE, LONGEST = 8, 40
"""The size of inputs, and the maximum number of tokens for modules that process tokens one by one."""
PARALLEL = "the first piece is read in parallel, the others token by token"


def min_gru(name: str) -> Callable[[], Adapted]:
    """Return a function that makes a layer of minGRU-pytorch; its state is the last hidden state."""

    def make() -> Adapted:
        module = function(f"minGRU_pytorch.{name}.{name}")(SIZE)

        def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
            outputs, state = module(inputs, state, return_next_prev_hidden=True)
            return outputs, state

        return Adapted(module, run, Vectors(SIZE))

    return make


def min_gru_scan(mixer: str) -> Callable[[], Adapted]:
    """Return a function that makes a layer of mingru-scans; its state is the last hidden state."""

    def make() -> Adapted:
        module = function(f"mingru.min_gru.{mixer}")(SIZE, SIZE)

        def step(token: Tensor, state: Any) -> tuple[Tensor, Any]:
            output = module.step(token[:, 0], state)
            return output[:, None], output

        return Adapted(module, by_tokens(module, step), Vectors(SIZE))

    return make


def mambapy(version: str) -> Callable[[], Adapted]:
    """Return a function that makes a Mamba layer of mambapy, with the sequential or the parallel scan."""

    def make() -> Adapted:
        path = importlib.import_module("mambapy.mamba")
        config = path.MambaConfig(d_model=SIZE, n_layers=1, d_state=4, pscan=version == "parallel")
        module = path.Mamba(config)
        enlarge(module)

        def step(token: Tensor, state: Any) -> tuple[Tensor, Any]:
            if state is None:
                inputs = token.new_zeros(len(token), config.d_inner, config.d_conv - 1)
                state = [(None, inputs) for _ in range(config.n_layers)]
            output, state = module.step(token[:, 0], list(state))
            return output[:, None], state

        return Adapted(module, by_tokens(module, step), Vectors(SIZE))

    return make


class XLSTMBlocks(Adapted):
    """The adapter of the package xlstm, in which an sLSTM's state has the shape ``(4, B, size)``."""

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """Return the state with the rows of each tensor reordered."""

        def reordered(path: KeyPath, part: Tensor) -> Tensor:
            return part.index_select(1 if path[-1] == MappingKey("slstm_state") else 0, rows)

        return tree_map_with_path(reordered, state)


def xlstm(kind: str) -> Callable[[], Adapted]:
    """Return a function that makes a block of the package xlstm: an mLSTM or an sLSTM."""

    def make() -> Adapted:
        blocks = importlib.import_module("xlstm")
        if kind == "mlstm":
            layer = blocks.mLSTMBlockConfig(mlstm=blocks.mLSTMLayerConfig(num_heads=2))
            declared = {"mlstm_block": layer}
        else:
            layer = blocks.sLSTMBlockConfig(slstm=blocks.sLSTMLayerConfig(backend="vanilla", num_heads=2))
            declared = {"slstm_block": layer, "slstm_at": "all"}
        config = blocks.xLSTMBlockStackConfig(context_length=512, num_blocks=1, embedding_dim=16, **declared)
        module = blocks.xLSTMBlockStack(config)
        enlarge(module)

        def step(token: Tensor, state: Any) -> tuple[Tensor, Any]:
            output, state = module.step(token, state)
            return output, state

        return XLSTMBlocks(module, by_tokens(module, step), Vectors(16))

    return make


def mlstm() -> Adapted:
    """Return the mLSTM backend of mlstm_kernels in inference mode, with chunks of 16 tokens."""
    backend = importlib.import_module("mlstm_kernels.torch.backend_module")
    config = backend.mLSTMBackendConfig(
        chunkwise_kernel="chunkwise--native_autograd",
        sequence_kernel="native_sequence__native",
        step_kernel="native",
        mode="inference",
        chunk_size=16,
        return_last_states=True,
        autocast_kernel_dtype="float32",
        inference_state_dtype="float32",
    )
    module, heads, keys, values = backend.mLSTMBackend(config), 2, 4, 3
    sizes = [heads * keys, heads * keys, heads * values, heads, heads]

    def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        q, k, v, i, f = inputs.split(sizes, -1)  # type: ignore[no-untyped-call]
        q, k, v = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k, v))
        i, f = i.transpose(1, 2), f.transpose(1, 2)
        c, n, m = (None, None, None) if state is None else state
        outputs, state = module(q=q, k=k, v=v, i=i, f=f, c_initial=c, n_initial=n, m_initial=m)
        return outputs.transpose(1, 2).flatten(2), state

    return Adapted(module, run, Vectors(sum(sizes)))


def open_gdn() -> Adapted:
    """Return a mixer of opengdn; its state, a record of four tensors, is adapted to a tuple."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = function("opengdn.mixer.GatedDeltaMixer")(SIZE, 2, backend="chunkwise", chunk_size=16)
    record = function("opengdn.mixer.GatedDeltaMixerState")

    def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        outputs, state = module(inputs, None if state is None else record(*state), return_state=True)
        return outputs, (state.recurrent, state.q_conv, state.k_conv, state.v_conv)

    return Adapted(module, run, Vectors(SIZE))


def s5() -> Adapted:
    """Return a layer of s5-pytorch."""
    module = function("s5.s5_model.S5")(SIZE, 8)

    def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        outputs, state = module(inputs, state=state, return_state=True)
        return outputs, state

    return Adapted(module, run, Vectors(SIZE))


def rwkv_7() -> Any:
    """Return a small model of rwkv7-hf."""
    package = importlib.import_module("rwkv7_hf.modeling_rwkv7")
    config = importlib.import_module("rwkv7_hf.configuration_rwkv7").RWKV7Config(
        vocab_size=32,
        hidden_size=16,
        num_hidden_layers=2,
        head_dim=8,
        intermediate_size=24,
        decay_low_rank_dim=4,
        gate_low_rank_dim=4,
        a_low_rank_dim=4,
        v_low_rank_dim=4,
    )
    module = package.RWKV7ForCausalLM(config)
    enlarge(module)
    return of_causal_model(module)


def minimal_ssd(kernel: Callable[..., Any], chunk: int) -> Callable[..., Any]:
    """Adapt ``ssd_minimal_discrete``, which takes log decays and values multiplied by the step sizes."""

    def scan(v: Tensor, dt: Tensor, a: Tensor, k: Tensor, q: Tensor, *, initial_states: Any, **_: Any) -> Any:
        start = None if initial_states is None else initial_states[:, None]
        return kernel(v * dt[..., None], dt * a, k, q, chunk, start)

    return ssd(scan, chunk)


def combined_ssd(kernel: Callable[..., Any], chunk: int) -> Callable[..., Any]:
    """Adapt ``ssd_chunk_scan_combined_ref``, which has no initial and no final state."""

    def adapted(*, q: Tensor, k: Tensor, v: Tensor, dt: Tensor, a: Tensor) -> tuple[Tensor, None]:
        return kernel(v, dt, a, k, q, chunk), None

    return adapted


def gated_delta(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a kernel that takes decays, not log decays, does not scale queries, and transposes states."""

    def adapted(
        *, q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, initial_state: Any, **_: Any
    ) -> Any:
        scaled = q * q.shape[-1] ** -0.5  # its queries are not scaled
        return kernel(scaled, k, v, g.exp(), beta, initial_state)

    return transposed_states(adapted)


def rwkv_7_kernel(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a kernel that requires an initial state, and takes decays instead of log decays."""

    def adapted(
        *,
        r: Tensor,
        w: Tensor,
        k: Tensor,
        v: Tensor,
        a: Tensor,
        b: Tensor,
        initial_state: Any,
        scale: float = 1.0,
        **_: Any,
    ) -> Any:
        shape = (len(k), *k.shape[2:], v.shape[-1])
        start = v.new_zeros(shape) if initial_state is None else initial_state
        return kernel(r, w.exp(), k, v, a, b, start)

    return adapted


def tree(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a scan that takes no initial state, and whose tensors have shape ``(B, C, T)``.

    The initial state is passed as the first input, with a gate of 1.
    """

    def adapted(*, f: Tensor, u: Tensor, initial_state: Tensor) -> tuple[Tensor, Tensor]:
        start = initial_state[:, None]
        gates, tokens = torch.cat([torch.ones_like(start), f], 1), torch.cat([start, u], 1)
        states = kernel(gates.transpose(1, 2).contiguous(), tokens.transpose(1, 2).contiguous())
        return states.transpose(1, 2)[:, 1:], states[..., -1]

    return adapted


STATELESS = ("initial-state", "final-state", "final-state-gradient")


def _kernel(
    name: str,
    library: str,
    path: str,
    family: str,
    adapt: Callable[[Any], Any],
    without: tuple[str, ...] = (),
    remark: str = "",
    **declared: Any,
) -> Entry:
    load = lambda path: adapt((mamba if library == MAMBA_SSM else function)(path))
    about = {"remark": remark}
    return kernel_entry(name, library, path, family, load, about=about, without=without, **declared)


MAMBA = "mamba_ssm."
ENTRIES = (
    entry("mingru-pytorch-mingru", "minGRU-pytorch", "minGRU_pytorch.minGRU.minGRU", min_gru("minGRU")),
    entry("mingru-pytorch-minlstm", "minGRU-pytorch", "minGRU_pytorch.minLSTM.minLSTM", min_gru("minLSTM")),
    *(
        entry(
            f"mingru-scans-{mixer.lower()}",
            "mingru-scans",
            f"mingru.{mixer}",
            min_gru_scan(mixer),
            PARALLEL,
            longest=LONGEST,
        )
        for mixer in ("MinGRU", "SignedMinGRU")
    ),
    *(
        entry(
            f"mambapy-{name}",
            "mambapy",
            "mambapy.mamba.Mamba",
            mambapy(name),
            f"{scan}; {PARALLEL}",
            longest=LONGEST,
        )
        for name, scan in (("parallel", "pscan=True"), ("sequential", "pscan=False"))
    ),
    *(
        entry(
            f"xlstm-{kind}",
            "xlstm",
            "xlstm.xLSTMBlockStack",
            xlstm(kind),
            f"{kind} blocks; {PARALLEL}; a step modifies its state",
            without=("state-twice",),
            longest=LONGEST,
        )
        for kind in ("mlstm", "slstm")
    ),
    entry(
        "mlstm-kernels-native",
        "mlstm_kernels",
        "mlstm_kernels.torch.backend_module.mLSTMBackend",
        mlstm,
        "mode='inference', chunk_size=16, native kernels",
    ),
    entry(
        "opengdn-mixer", "opengdn", "opengdn.GatedDeltaMixer", open_gdn, "backend='chunkwise', chunk_size=16"
    ),
    entry("s5-pytorch", "s5-pytorch", "s5.S5", s5),
    entry("rwkv7-hf", "rwkv7-hf", "rwkv7_hf.modeling_rwkv7.RWKV7ForCausalLM", rwkv_7, longest=LONGEST),
    _kernel(
        "rwkv7-hf-recurrent",
        "rwkv7-hf",
        "rwkv7_hf.ops_rwkv7.rwkv7_recurrent",
        "rwkv-7",
        rwkv_7_kernel,
        ("cu_seqlens", "scale", "empty"),
        longest=129,
    ),
    _kernel(
        "opengdn-reference",
        "opengdn",
        "opengdn.reference.gated_delta",
        "gated-delta-rule",
        gated_delta,
        ("cu_seqlens", "scale", "empty"),
        longest=129,
    ),
    _kernel(
        "opengdn-chunkwise",
        "opengdn",
        "opengdn.chunkwise.gated_delta_chunkwise",
        "gated-delta-rule",
        gated_delta,
        ("cu_seqlens", "scale", "empty"),
        chunk=64,
    ),
    _kernel(
        "accelerated-scan-reference",
        "accelerated-scan",
        "accelerated_scan.ref.scan",
        "elementwise",
        tree,
        ("empty",),
        "a tree; the bound is that of a chunk of 2,049",
        longest=2049,
        chunk=2049,
    ),
    _kernel(
        "mamba-selective-scan-reference",
        MAMBA_SSM,
        MAMBA + "ops.selective_scan_interface.selective_scan_ref",
        "selective-scan",
        selective_scan,
        ("initial-state", "empty"),
    ),
    _kernel(
        "mamba-ssd-minimal",
        MAMBA_SSM,
        MAMBA + "modules.ssd_minimal.ssd_minimal_discrete",
        "mamba-2",
        lambda kernel: minimal_ssd(kernel, 16),
        ("empty", "cu_seqlens"),
        multiple=16,
        chunk=16,
    ),
    _kernel(
        "mamba-ssd-reference",
        MAMBA_SSM,
        MAMBA + "ops.triton.ssd_combined.ssd_chunk_scan_combined_ref",
        "mamba-2",
        lambda kernel: combined_ssd(kernel, 16),
        (*STATELESS, "empty", "cu_seqlens"),
        multiple=16,
        chunk=16,
    ),
)
"""The table entries of this module, models before kernels."""
