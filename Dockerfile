# The image of every process of Lexic; compose.yaml and deploy/helm/lexic say which one a container runs.
# Pin the base by digest in your own registry: docker build --build-arg PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:…
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/lexic/venv
COPY requirements.lock /tmp/requirements.lock
# Without what packages declare and nobody imports: PyTorch is among it.
RUN /opt/lexic/venv/bin/pip install --require-hashes --no-deps --only-binary :all: -r /tmp/requirements.lock \
    && /opt/lexic/venv/bin/pip uninstall --yes pip setuptools

FROM packages AS application
WORKDIR /opt/lexic/app
COPY . .
# Compiled here, because nothing can be written where it runs. No secret is needed for it, and none is kept.
RUN LEXIC_VAR_DIR=/tmp/build LEXIC_STATIC_ROOT=/opt/lexic/static \
    SECRET_KEY=only-to-collect ENCRYPTION_KEY=only-to-collect DATABASE_URL=postgresql://nobody@nowhere/none \
    /opt/lexic/venv/bin/python manage.py collectstatic --no-input --verbosity=0 \
    && /opt/lexic/venv/bin/python -m compileall -q -j 0 /opt/lexic

FROM ${PYTHON_IMAGE} AS lexic
RUN groupadd --gid 10001 lexic \
    && useradd --uid 10001 --gid lexic --no-create-home --home-dir /tmp --shell /usr/sbin/nologin lexic \
    && install --directory --owner lexic --group lexic --mode 700 /var/lib/lexic
COPY --from=application /opt/lexic /opt/lexic
# Only /var/lib/lexic and /tmp are written to.
ENV PATH=/opt/lexic/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    LEXIC_VAR_DIR=/var/lib/lexic \
    LEXIC_STATIC_ROOT=/opt/lexic/static \
    LEXIC_LOG_FORMAT=json \
    REMAP_SIGTERM=SIGQUIT
WORKDIR /opt/lexic/app
USER 10001:10001
EXPOSE 8000
CMD ["uvicorn", "lexic.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--http", "local.slow_client_protocol:SlowClientTimeoutProtocol", "--timeout-graceful-shutdown", "60", "--timeout-keep-alive", "75", "--lifespan", "off"]
