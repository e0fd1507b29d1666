import { findFreePort } from '../../test/control-plane/free-port.ts';
import { startEmbeddedAws } from '../embedded/http/server.ts';
import { pythonRecipes } from './python-recipe.ts';
import { startPythonServer } from './python-server.ts';

/** The stand-in that plays AWS. */
export const backendNames = ['embedded', 'localstack', 'moto'] as const;
export type BackendName = (typeof backendNames)[number];

/** A running stand-in for AWS with nothing in it. */
export interface Backend {
  readonly name: BackendName;
  /** For AWS_ENDPOINT_URL. */
  readonly url: string;
  readonly region: string;
  /** Ends it with all that is in it and starts it again, empty, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface BackendOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** The caller's environment; default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told about long steps; default nobody. */
  readonly say?: (line: string) => void;
  /** Of the embedded stand-in, which alone has such settings. */
  readonly embedded?: {
    readonly provisioningMs?: number;
    readonly budget?: 'aws' | 'off';
    readonly quota?: number;
  };
}

export const BACKEND_REGION = 'us-east-1';

export function isBackendName(name: string): name is BackendName {
  return backendNames.some((known) => known === name);
}

/** Starts one. Throws PythonMissing where it needs Python and there is none. */
export async function startBackend(
  name: BackendName,
  options: BackendOptions = {},
): Promise<Backend> {
  const port = options.port ?? (await findFreePort());
  const start = (): Promise<Server> => startServer(name, { ...options, port });
  let server = await start();
  return {
    name,
    url: server.url,
    region: BACKEND_REGION,
    restart: async () => {
      await server.stop();
      server = await start();
    },
    stop: () => server.stop(),
  };
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

function startServer(
  name: BackendName,
  options: BackendOptions & { readonly port: number },
): Promise<Server> {
  const { port, env = process.env, say = () => undefined, embedded = {} } = options;
  if (name === 'embedded') {
    return startEmbeddedAws({ port, region: BACKEND_REGION, settings: embedded });
  }
  return startPythonServer(pythonRecipes[name], { port, env, say });
}
