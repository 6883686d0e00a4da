"""What it costs to hear more than one language: `python -m tests.bench.spoken_language`.

Whisper's own time over the bundled callers, on one thread, with the language given and with two to choose from; and
which language it took for each. Where neither is plausible the words are read twice.
"""

import statistics
from importlib import resources

from config.models import ModelStore
from gateway.stt.whisper_process import WhisperModel
from gateway.stt.whisper_wire import AudioJob
from media import wav

ROUNDS = 3


def main() -> None:
    model = WhisperModel(str(ModelStore().locate("whisper-base")), 1)
    for folder, language in (("callers", "en"), ("callers_id", "id")):
        given, found = [], []
        for entry in sorted(resources.files("gateway.simulator").joinpath(folder).iterdir(), key=lambda e: e.name):
            if not entry.name.endswith(".wav"):
                continue
            with resources.as_file(entry) as path:
                pcm = wav.load(path, 16_000)
            for _ in range(ROUNDS):
                given.append(model.transcribe(AudioJob(1, language, pcm)).took_s)
                heard = model.transcribe(AudioJob(1, "en,id", pcm))
                found.append(heard.took_s)
            print(f"{folder}/{entry.name}: {heard.language} {heard.language_share:.2f}")
        alone_ms, chosen_ms = (1000 * statistics.median(times) for times in (given, found))
        print(f"{language}: {alone_ms:.0f} ms with the language given, {chosen_ms:.0f} ms with two to choose from")


if __name__ == "__main__":
    main()
