import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type ContainerState,
  countResult,
  leaveAfterHookMs,
  NOT_PROBED,
  planPreStop,
  type Readiness,
} from './lifecycle.ts';
import { ANSWERS, type Container, findPort, listTcpPorts, type Pod, type Probe } from './pod.ts';

const ECHO = fileURLToPath(new URL('echo.ts', import.meta.url));

interface ContainerOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly logPath: string;
  /** Called when `state` or `addresses` has changed. */
  readonly onChange: () => void;
}

/** A process in place of a container, with its probe, its hook and its signals. */
export class ContainerProcess {
  readonly #container: Container;
  readonly #onChange: () => void;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #ending = new AbortController();
  readonly #startedAt = now();
  /** By container port. */
  #addresses: ReadonlyMap<number, string> = new Map();
  #readiness: Readiness;
  #exit: ContainerState['exit'];

  constructor({ pod, container, logPath, onChange }: ContainerOptions) {
    this.#container = container;
    this.#onChange = onChange;
    this.#child = startEcho(pod, container, logPath);
    this.#child.once('message', (ports: readonly (readonly [number, number])[]) => {
      this.#addresses = new Map(ports.map(([port, real]) => [port, `127.0.0.1:${real}`]));
      onChange();
    });
    this.#exited = this.#end();
    const { readinessProbe: probe } = container;
    const isProbed = probe?.httpGet !== undefined || probe?.tcpSocket !== undefined;
    this.#readiness = { ...NOT_PROBED, isReady: !isProbed };
    if (isProbed) void this.#keepProbing(probe);
  }

  get state(): ContainerState {
    const { name, image } = this.#container;
    const exit = this.#exit;
    const isReady = exit === undefined && this.#readiness.isReady;
    return { name, image, startedAt: this.#startedAt, isReady, ...(exit && { exit }) };
  }

  /** By container port, while it runs. */
  get addresses(): ReadonlyMap<number, string> {
    return this.#addresses;
  }

  /** The hook, SIGTERM, and SIGKILL once the grace period is over; returns when the process is gone. */
  async terminate(graceSeconds: number): Promise<void> {
    const startedMs = performance.now();
    await this.#runPreStop(graceSeconds).catch(() => undefined);
    this.#child.kill('SIGTERM');
    const leftMs = leaveAfterHookMs(graceSeconds, performance.now() - startedMs);
    const { signal } = this.#ending;
    // Rejects once the process has ended.
    await sleep(leftMs, undefined, { signal }).catch(() => undefined);
    await this.kill();
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async #end(): Promise<void> {
    const [code, signal] = (await once(this.#child, 'exit')) as [number | null, NodeJS.Signals];
    this.#exit = { exitCode: code ?? 128 + constants.signals[signal], finishedAt: now() };
    this.#addresses = new Map();
    this.#ending.abort();
    this.#onChange();
  }

  /** A hook that fails, or takes longer than the grace period, is over. */
  async #runPreStop(graceSeconds: number): Promise<void> {
    const hook = planPreStop(this.#container, graceSeconds);
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(graceSeconds * 1000)]);
    if (hook.kind === 'sleep') await sleep(hook.ms, undefined, { signal });
    if (hook.kind === 'httpGet') {
      await this.#get(hook, { userAgent: 'kube-lifecycle', signal });
    }
  }

  async #keepProbing(probe: Probe): Promise<void> {
    const { signal } = this.#ending;
    const wait = (seconds: number): Promise<void> =>
      sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
    await wait(probe.initialDelaySeconds ?? 0);
    while (!signal.aborted) {
      const wasReady = this.#readiness.isReady;
      const hasSucceeded = await this.#probe(probe).catch(() => false);
      this.#readiness = countResult(this.#readiness, hasSucceeded, probe);
      if (this.#readiness.isReady !== wasReady) this.#onChange();
      await wait(probe.periodSeconds);
    }
  }

  async #probe({ httpGet, tcpSocket, timeoutSeconds }: Probe): Promise<boolean> {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    if (httpGet !== undefined) {
      const port = findPort(this.#container, httpGet.port);
      const { path = '/' } = httpGet;
      const status = await this.#get({ port, path }, { userAgent: 'kube-probe', signal });
      return status >= 200 && status < 400;
    }
    const [host, port] = this.#addressOf(findPort(this.#container, tcpSocket?.port ?? 0)).split(
      ':',
    );
    const socket = connect({ host, port: Number(port), signal });
    await once(socket, 'connect');
    socket.destroy();
    return true;
  }

  /** The status. */
  async #get(
    { port, path }: { readonly port: number; readonly path: string },
    { userAgent, signal }: { readonly userAgent: string; readonly signal: AbortSignal },
  ): Promise<number> {
    const url = `http://${this.#addressOf(port)}${path}`;
    const headers = { 'user-agent': userAgent, connection: 'close' };
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  }

  #addressOf(port: number): string {
    const address = this.#addresses.get(port);
    if (address === undefined) throw new Error(`nothing listens on ${port}`);
    return address;
  }
}

/** It has a process group of its own, which Ctrl-C in a terminal does not reach, and ends with the runner. */
function startEcho({ metadata }: Pod, container: Container, logPath: string): ChildProcess {
  const { name, namespace, annotations } = metadata;
  const log = openSync(logPath, 'a');
  const args = [
    `--name=${name}`,
    `--namespace=${namespace}`,
    `--answers=${annotations?.[ANSWERS] ?? '200'}`,
    ...listTcpPorts(container).map((port) => `--port=${port}`),
  ];
  const child = fork(ECHO, args, {
    env: readSettings(container),
    execArgv: [],
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  return child;
}

/** Other variables are for the image, and could mean something to this process too. */
function readSettings({ env = [] }: Container): Record<string, string> {
  const settings = env.filter(({ name }) => name.startsWith('ECHO_'));
  return Object.fromEntries(settings.map(({ name, value = '' }) => [name, value]));
}

function now(): string {
  return new Date().toISOString();
}
