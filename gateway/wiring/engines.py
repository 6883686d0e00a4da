"""The engines of a configuration: ears, language model, voice. A library is imported only where it is used."""

import os
from pathlib import Path

from config.errors import ConfigError
from config.models import ModelStore
from config.settings import Llm
from config.stt import Deepgram, Stt, Transcribe
from config.tts import Tts
from gateway.errors import SttError
from gateway.llm.base import Deadlines, Inference, LanguageModel
from gateway.stt.base import Prosody, RecogniserFactory
from gateway.stt.cloud.base import CloudService
from gateway.tts.base import SpeechFactory
from gateway.tts.session import SpeechTiming
from gateway.tts.websocket import WebSocketSpeech


def build_ears(stt: Stt, models_dir: str) -> RecogniserFactory:
    """The recognisers of `stt.engine`; their libraries are imported only when they are used."""
    if stt.engine == "energy":
        from gateway.stt.energy import EnergyRecognisers

        return EnergyRecognisers(stt.canned_words, pause_ms=stt.pause_ms)
    try:
        if stt.engine in ("transcribe", "deepgram"):
            from gateway.stt.cloud.recogniser import CloudRecognisers

            service = _transcribe(stt.transcribe) if stt.engine == "transcribe" else _deepgram(stt.deepgram)
            return CloudRecognisers(service, pause_ms=stt.pause_ms)
        from gateway.stt.whisper import WhisperRecognisers

        return WhisperRecognisers(_model(stt.model, models_dir), threads=stt.threads, pause_ms=stt.pause_ms)
    except (ImportError, SttError) as error:
        raise ConfigError(
            f"stt.engine {stt.engine} cannot be used ({error}); "
            'install it with pip install -c constraints.txt -e ".[local]"'
        ) from error


def _transcribe(asked: Transcribe) -> CloudService:
    from gateway.stt.transcribe_service import TranscribeService

    languages = {str(ours): theirs for ours, theirs in asked.languages.items()}
    return TranscribeService(asked.region, languages, vocabulary=asked.vocabulary, url=asked.url)


def _deepgram(asked: Deepgram) -> CloudService:
    from gateway.stt.deepgram_service import DeepgramService

    key = os.environ.get(asked.key_env, "").strip() if asked.key_env else ""
    if asked.key_env and not (key and key.isascii() and key.isprintable()):
        raise ConfigError(f"stt.deepgram: the environment variable {asked.key_env} holds no key; put it there")
    return DeepgramService(
        key,
        {str(ours): theirs for ours, theirs in asked.languages.items()},
        model=asked.model,
        keyterms=asked.keyterms,
        url=asked.url,
        extra=asked.extra,
    )


def build_prosody(stt: Stt, models_dir: str) -> Prosody | None:
    """The model of `stt.prosody`; None where pauses are judged by the words alone, or no words are heard."""
    if not stt.prosody or stt.engine == "energy":
        return None
    try:
        from gateway.stt.smart_turn import SmartTurn
    except ImportError as error:
        raise ConfigError(
            f"stt.prosody {stt.prosody} cannot be used ({error}); set it to nothing, or "
            'install it with pip install -c constraints.txt -e ".[local]"'
        ) from error
    return SmartTurn(_model(stt.prosody, models_dir))


def _model(name: str, models_dir: str) -> Path:
    """A path of the operator's own, or a model of the store."""
    path = Path(name)
    return path if path.exists() else ModelStore(Path(models_dir) if models_dir else None).locate(name)


def build_voice(tts: Tts) -> SpeechFactory:
    """The worker of `tts.provider`; the AWS SDK is imported only where it is used."""
    timing = SpeechTiming(connect_s=tts.connect_s, give_up_s=tts.give_up_s)
    if tts.provider == "websocket":
        return WebSocketSpeech(tts.url, token=tts.token, outstanding=tts.outstanding, timing=timing)
    try:
        from gateway.tts.sagemaker import SageMakerEndpoint, SageMakerSpeech
    except ImportError as error:
        raise ConfigError(
            f"tts.provider sagemaker cannot be used ({error}); on Python 3.12 or newer "
            'install it with pip install -c constraints.txt -e ".[aws]"'
        ) from error
    place = tts.sagemaker
    endpoint = SageMakerEndpoint(place.endpoint, place.region, place.variant, place.endpoint_url)
    return SageMakerSpeech(endpoint, outstanding=tts.outstanding, timing=timing)


def build_model(llm: Llm) -> LanguageModel:
    """The language model of `llm.provider`."""
    if llm.provider == "scripted":
        from gateway.llm.scripted import ScriptedModel

        script = llm.scripted
        try:
            return ScriptedModel(script.replies, script.first_token_s, script.tokens_per_s)
        except ValueError as error:
            raise ConfigError(f"llm.scripted.replies: {error}") from error
    inference = Inference(
        max_tokens=llm.max_tokens or None,
        temperature=llm.temperature if llm.temperature >= 0 else None,
        top_p=llm.top_p if llm.top_p >= 0 else None,
    )
    deadlines = Deadlines(connect_s=llm.connect_s, read_s=llm.read_s, first_token_s=llm.first_token_s)
    if llm.provider == "openai":
        from gateway.llm.openai_compatible import ChatServer, OpenAiCompatibleModel

        server = llm.openai
        return OpenAiCompatibleModel(
            ChatServer(server.base_url, server.model, server.api_key, server.extra, llm.max_concurrent),
            inference,
            deadlines,
        )
    from gateway.llm.bedrock import BedrockEndpoint, BedrockModel
    from gateway.llm.converse import BedrockExtras, Guardrail

    bedrock = llm.bedrock
    guardrail = None
    if bedrock.guardrail_id:
        guardrail = Guardrail(bedrock.guardrail_id, bedrock.guardrail_version, bedrock.guardrail_mode)
    return BedrockModel(
        bedrock.model_id,
        BedrockEndpoint(bedrock.region or None, bedrock.endpoint_url or None, llm.max_concurrent),
        inference,
        BedrockExtras(additional_fields=bedrock.additional_fields, guardrail=guardrail),
        deadlines,
    )
