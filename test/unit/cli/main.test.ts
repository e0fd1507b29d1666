import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliPlace } from './cli-place.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');

const place = new CliPlace();

/** What a process of its own writes to stderr. */
async function run(command: string, cluster: object, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const all = { KUBECONFIG: place.writeKubeconfig(cluster), PATH: process.env['PATH'], ...env };
  return new Promise((done) => {
    execFile(process.execPath, [MAIN, command], { env: all }, (_, _stdout, text) => done(text));
  });
}

describe('stderr of a command', () => {
  it('has one line for an https proxy that is named by its address', async () => {
    const proxy = await place.listen((_, response) => response.end());
    const cluster = { server: 'https://kube.example', 'proxy-url': `https://${proxy}` };
    expect(await run('status', cluster)).toMatch(/^albridge: no answer [^\n]*\n$/);
  });

  it('has one line for a profile of AWS beside keys', async () => {
    const system = { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'u0' } };
    const none = { metadata: { resourceVersion: '1' }, items: [] };
    const server = await place.listen((request, response) => {
      const isSystem = request.url?.endsWith('/kube-system');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isSystem ? system : none));
    });
    const file = join(place.directory, 'aws');
    writeFileSync(file, '[profile a]\naws_access_key_id = A\naws_secret_access_key = b\n');
    const stderr = await run(
      'orphans',
      { server: `http://${server}` },
      {
        ...{ AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_PROFILE: 'a' },
        ...{ AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'b', AWS_CONFIG_FILE: file },
      },
    );
    expect(stderr).toMatch(
      /^warning: AWS_PROFILE is used, not AWS_ACCESS_KEY_ID beside it: unset one of them\nalbridge: [^\n]*\n$/,
    );
  });
});
