/** An operating system and processor, in the words of Go and of the Kubernetes release host. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Translates Node's `process.platform` and `process.arch`, e.g. `linux`, `x64` -> linux/amd64. */
export function platformOf(os: string, arch: string): Platform {
  return { os, arch: architectures[arch] ?? arch };
}

/** `linux-amd64`: how release files and cache directories name a platform. */
export function platformName(platform: Platform): string {
  return `${platform.os}-${platform.arch}`;
}
