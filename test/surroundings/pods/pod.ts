/** Of Kubernetes, as far as pods are run here; the API server has filled in the defaults. */
export interface Pod {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec?: {
    readonly containers: readonly Container[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  readonly status?: {
    readonly podIP?: string;
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: Handler };
}

interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: string;
}

export interface Handler {
  readonly sleep?: { readonly seconds: number };
  readonly httpGet?: HttpGet;
  readonly exec?: { readonly command: readonly string[] };
}

interface HttpGet {
  readonly path?: string;
  /** The number or the name of a port of the container. */
  readonly port: number | string;
}

export interface Probe {
  readonly httpGet?: HttpGet;
  readonly tcpSocket?: { readonly port: number | string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** An annotation of a pod: `true` gives each of its containers a process. kwok-stages.yaml reads it too. */
const PROCESS = 'test.albridge.io/process';

/** An annotation of a pod: the status code that it answers with instead of 200, or `nothing`. */
export const ANSWERS = 'test.albridge.io/answers';

export function hasProcesses({ metadata }: Pod): boolean {
  return metadata.annotations?.[PROCESS] === 'true';
}

export function listTcpPorts({ ports = [] }: Container): readonly number[] {
  return ports
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ containerPort }) => containerPort);
}

export function findPort({ ports = [] }: Container, port: number | string): number {
  return ports.find(({ name }) => name === port)?.containerPort ?? Number(port);
}
