# syntax=docker/dockerfile:1
# docker build --tag albridge:0.1.0 .
# The bundle is plain JavaScript, so it is built once, on the builder's platform, for every target.
FROM --platform=$BUILDPLATFORM node:24-trixie-slim@sha256:173f125896c3b47ddf056734c7ea789d04595a6a08769a8f78e0df642781fb66 AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE ./
COPY deploy deploy
COPY src src
RUN node deploy/bundle.ts

# Node and what it needs: no shell, no package manager.
FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:af85d11ce7ef10172855a6e3649e3e8125b1b9e3ca41849ec2918036f05cb212
LABEL org.opencontainers.image.title="albridge" \
      org.opencontainers.image.description="Kubernetes operator that bridges custom resources to AWS" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0"
# Of what an idle operator would hold, a fifth is memory that was freed and kept: see docs/performance.md.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=16384
WORKDIR /app
COPY --from=build /build/dist ./
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=1", "--no-parallel-scavenge", "--no-turbofan", "--optimize-for-size", "/app/main.mjs"]
