import * as http from 'node:http';
import { join } from 'node:path';
import { type ManagedProcess, type ProcessSpec, startProcess } from './managed-process.ts';

export interface Etcd {
  readonly process: ManagedProcess;
  /** What kube-apiserver gets as --etcd-servers. */
  readonly address: string;
  /** See ControlPlane.compactEtcd. */
  readonly compact: (revision?: number) => Promise<void>;
}

export interface EtcdSpec extends Omit<ProcessSpec, 'name' | 'args'> {
  /** See ControlPlaneOptions. */
  readonly isDurable?: boolean;
}

/**
 * The history of five minutes, after which the API server compacts it, of tests that write as fast as
 * a machine can: the default of 2 GB was exceeded once. The largest that etcd suggests
 * (https://etcd.io/docs/v3.6/dev-guide/limit/).
 */
const QUOTA = '--quota-backend-bytes=8589934592';

/**
 * Starts etcd on unix sockets only, so that two control planes can never meet by a port: the
 * advertised addresses are required to look like host:port, and nobody dials them.
 * `socketDirectory` must be short: a socket path holds about 100 bytes.
 */
export async function startEtcd(
  { isDurable = false, ...spec }: EtcdSpec,
  socketDirectory: string,
): Promise<Etcd> {
  const socket = join(socketDirectory, 'etcd.sock');
  const process = await startProcess({
    ...spec,
    name: 'etcd',
    args: [
      '--data-dir=etcd-data',
      `--listen-client-urls=unix://${socket}`,
      '--advertise-client-urls=http://127.0.0.1:2379',
      `--listen-peer-urls=unix://${join(socketDirectory, 'peer.sock')}`,
      ...(isDurable ? [] : ['--unsafe-no-fsync']),
      QUOTA,
      '--log-level=warn',
    ],
  });
  return {
    process,
    address: `unix://${socket}`,
    compact: (revision) => compact(socket, revision),
  };
}

async function compact(socket: string, revision?: number): Promise<void> {
  const target = revision ?? (await newestRevision(socket));
  await announceCompaction(socket, target);
  await post(socket, '/v3/kv/compaction', { revision: target, physical: true });
}

/** Reading any key gives it, in the header of the answer. */
async function newestRevision(socket: string): Promise<number> {
  const answer = await post(socket, '/v3/kv/range', { key: base64('/') });
  const { header } = answer as { readonly header: { readonly revision: string } };
  return Number(header.revision);
}

/**
 * API servers learn of each other's compactions by this key:
 * https://github.com/kubernetes/kubernetes/blob/v1.36.4/staging/src/k8s.io/apiserver/pkg/storage/etcd3/compact.go
 */
async function announceCompaction(socket: string, revision: number): Promise<void> {
  const pair = { key: base64('compact_rev_key'), value: base64(String(revision)) };
  await post(socket, '/v3/kv/put', pair);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** etcd's JSON gateway: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ */
function post(socketPath: string, path: string, body: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = http.request({ socketPath, path, method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`etcd answered ${response.statusCode} for ${path}: ${text.trim()}`));
      });
    });
    call.once('error', reject);
    call.end(JSON.stringify(body));
  });
}
