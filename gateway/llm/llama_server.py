"""llama.cpp's OpenAI-compatible server over one GGUF file: `python -m gateway.llm.llama_server`."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence

# The offline bot's turns are short; a longer window only costs memory.
CONTEXT_TOKENS = 4096
MODEL_ALIAS = "smollm2"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT; 0 afterwards. The port answers once the model is loaded."""
    parser = argparse.ArgumentParser(prog="python -m gateway.llm.llama_server", description=__doc__)
    parser.add_argument("model", help="path of a GGUF file")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    # A second thread gains a fifth on an idle machine; with voice and ears at work each then waits for the other.
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.model_alias = {MODEL_ALIAS}
    params.hostnames = [options.host]
    params.port = options.port
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.verbosity = 1
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server = xllamacpp.Server(params)
    print(f"listening on {server.listening_address}", flush=True)
    stop.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
