# syntax=docker/dockerfile:1

# What browser goes into the image: "cloak" (CloakBrowser), "chromium" (Debian's), or "none" (CloakBrowser, fetched
# at first use).
ARG BROWSER=cloak

FROM denoland/deno:debian-2.9.6 AS builder
WORKDIR /build
COPY . .
RUN deno task build

FROM debian:trixie-slim AS base
# Chromium's libraries, as Playwright lists them for Debian 13, and fonts for Western, Chinese, Japanese, Korean and
# Thai text, symbols and emoji. The font cache is made here, because the user of the container cannot write it.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    ca-certificates \
    fontconfig \
    fonts-freefont-ttf \
    fonts-ipafont-gothic \
    fonts-liberation \
    fonts-noto-color-emoji \
    fonts-tlwg-loma-otf \
    fonts-unifont \
    fonts-wqy-zenhei \
    libasound2t64 \
    libatk-bridge2.0-0t64 \
    libatk1.0-0t64 \
    libatspi2.0-0t64 \
    libcairo2 \
    libcups2t64 \
    libdbus-1-3 \
    libdrm2 \
    libgbm1 \
    libglib2.0-0t64 \
    libnspr4 \
    libnss3 \
    libpango-1.0-0 \
    libx11-6 \
    libxcb1 \
    libxcomposite1 \
    libxdamage1 \
    libxext6 \
    libxfixes3 \
    libxkbcommon0 \
    libxrandr2 \
    tini \
    xvfb \
  && rm -rf /var/lib/apt/lists/* \
  && fc-cache --system-only --force
# No directory of its own: /tmp is what can be written in every hardening, also with another --user.
RUN groupadd --gid 1000 browser \
  && useradd --uid 1000 --gid 1000 --home-dir /tmp --no-create-home --shell /usr/sbin/nologin browser \
  && install --directory --owner=1000 --group=1000 /data
COPY --from=builder /build/LICENSE /build/THIRD_PARTY_LICENSES.md /usr/share/doc/cloakbrowser-mcp/
COPY --from=builder /build/dist/cloakbrowser-mcp /usr/local/bin/cloakbrowser-mcp
ENV HOME=/tmp \
  LANG=C.UTF-8 \
  CLOAKBROWSER_CACHE_DIR=/opt/cloakbrowser \
  PLAYWRIGHT_MCP_OUTPUT_DIR=/data

FROM base AS browser-cloak
# Belongs to root: whatever breaks out of a page cannot change the browser of the next session.
RUN cloakbrowser-mcp install && chmod --recursive a+rX /opt/cloakbrowser

FROM base AS browser-chromium
RUN apt-get update \
  && apt-get install --yes --no-install-recommends chromium \
  && rm -rf /var/lib/apt/lists/*
ENV CLOAKBROWSER_BINARY_PATH=/usr/bin/chromium

FROM base AS browser-none
RUN install --directory --owner=1000 --group=1000 /opt/cloakbrowser

FROM browser-${BROWSER} AS final
ARG REVISION=""
LABEL org.opencontainers.image.title="cloakbrowser-mcp" \
  org.opencontainers.image.description="MCP server that gives agents a real browser" \
  org.opencontainers.image.source="https://github.com/swimmwatch/cloakbrowser-mcp" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="docker.io/library/debian:trixie-slim"
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 3000
# Takes the server's flags from process 1 and asks its /readyz; over stdio there is nothing to ask.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["/usr/local/bin/cloakbrowser-mcp", "healthcheck"]
# tini reaps what a browser leaves behind; -s lets it do so below an init of the engine's own as well.
ENTRYPOINT ["/usr/bin/tini", "-s", "--", "/usr/local/bin/cloakbrowser-mcp"]
CMD []
