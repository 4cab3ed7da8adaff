"""A text, or two together, through a bundled network. The one door to onnxruntime and tokenizers."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from helix.errors import ModelBroken
from helix.index.models import Model

if TYPE_CHECKING:
    import numpy as np

_CONTEXT = 512  # tokens, of both networks


class Encoder:
    """For many threads at once. Each runs the network by itself: a pool of threads would spin while it waits."""

    def __init__(self, model: Model) -> None:
        model.check()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Its plan of the memory is one per length of text, and each new length would take the largest block anew.
        options.enable_mem_pattern = False
        try:
            self._session = onnxruntime.InferenceSession(
                str(model.folder / model.file), options, providers=["CPUExecutionProvider"]
            )
        except network_errors() as error:
            raise ModelBroken(f"{model.folder} cannot be loaded: {error}") from error
        self._tokenizer = Tokenizer.from_file(str(model.folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_CONTEXT)
        self._give_back = onnxruntime.RunOptions()
        self._give_back.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        give_back_memory()  # the file as it was read, before its weights were laid out for this processor

    def first(self, text: str, other: str | None = None) -> np.ndarray:
        """What the network makes of the first token, which stands for the whole; `network_errors` when it cannot."""
        return self._run(text, other)

    def rest(self) -> None:
        """Keep the weights, give back the memory that long texts needed."""
        with suppress(*network_errors()):  # it can be kept as well
            self._run("", None, self._give_back)
        give_back_memory()

    def _run(self, text: str, other: str | None, options: object = None) -> np.ndarray:
        import numpy as np

        read = self._tokenizer.encode(text, other)
        inputs = {
            "input_ids": np.array([read.ids], np.int64),
            "attention_mask": np.array([read.attention_mask], np.int64),
            "token_type_ids": np.array([read.type_ids], np.int64),
        }
        made: np.ndarray = self._session.run(None, inputs, options)[0][0, 0]
        return made


def give_back_memory() -> None:
    """What was freed goes back to the system; glibc keeps it for later otherwise."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


def network_errors() -> tuple[type[Exception], ...]:
    """What a broken model or a bad input raises: onnxruntime's own errors share no class but Exception."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        *(state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile),
        *(state.RuntimeException, state.NotImplemented, state.EPFail, RuntimeError, ValueError, OSError),
    )
