import { resolve } from 'node:path';

/** A server that is installed from PyPI into a virtual environment of its own, and how it is run. */
export interface PythonRecipe {
  readonly name: 'localstack' | 'moto';
  /** In messages. */
  readonly title: string;
  /** Directory of requirements.txt, and of constraints.txt, which pins what they bring along. */
  readonly pins: string;
  /** Directories of packages of ours that are installed on top. */
  readonly packages: readonly string[];
  /** Download and disk, for the announcement. */
  readonly megabytes: { readonly download: number; readonly disk: number };
  /** After `python`. */
  readonly args: (port: number) => readonly string[];
  readonly settings: (port: number, directory: string) => Readonly<Record<string, string>>;
  /** Answers 200 once the server serves. */
  readonly healthPath: string;
}

const HERE = resolve(import.meta.dirname, '..');

/**
 * LocalStack 4.14, the last open release, in its documented host mode
 * (https://github.com/localstack/localstack/blob/v4.14.0/docs/development-environment-setup/README.md).
 */
const openRuntime: PythonRecipe = {
  name: 'localstack',
  title: "LocalStack's open runtime 4.14",
  pins: resolve(HERE, 'open-runtime'),
  packages: [resolve(HERE, 'open-runtime/provider')],
  megabytes: { download: 60, disk: 250 },
  args: () => ['-m', 'localstack.runtime.main'],
  settings: (port, directory) => ({
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    // The default server, twisted, ignores the host and listens on every interface.
    GATEWAY_SERVER: 'hypercorn',
    FILESYSTEM_ROOT: directory,
    SERVICES: 'ec2,elbv2,sts,iam,acm',
    // Nothing is fetched, nothing is reported, no DNS server is started.
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DISABLE_EVENTS: '1',
    DNS_ADDRESS: '0',
  }),
  healthPath: '/_localstack/health',
};

/** https://docs.getmoto.org/en/5.2.1/docs/server_mode.html */
const motoServer: PythonRecipe = {
  name: 'moto',
  title: 'moto server 5.2',
  pins: resolve(HERE, 'moto'),
  packages: [],
  megabytes: { download: 30, disk: 170 },
  args: (port) => ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
  settings: () => ({ MOTO_ACCOUNT_ID: '000000000000' }),
  healthPath: '/moto-api/',
};

export const pythonRecipes = { localstack: openRuntime, moto: motoServer } as const;
