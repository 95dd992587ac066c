FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore

# Everything that is written at run time goes below HOME; the source tree may be read-only.
RUN useradd --create-home --uid 1000 user
ENV HOME=/home/user \
    XDG_DATA_HOME=/home/user/.local/share \
    XDG_CACHE_HOME=/home/user/.cache \
    GRADIO_TEMP_DIR=/home/user/.cache/gradio \
    GRADIO_ANALYTICS_ENABLED=False

WORKDIR /app

# Before the source, so that a change of the source does not install everything again.
COPY requirements.txt constraints.txt ./
RUN pip install -r requirements.txt -c constraints.txt

COPY . .

USER 1000
RUN mkdir -p "$XDG_DATA_HOME" "$GRADIO_TEMP_DIR"

ENV PORT=8000
EXPOSE 8000

HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/health', timeout=4).read()"]

CMD ["python", "-m", "server.app"]
