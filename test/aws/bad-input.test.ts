import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../control-plane/free-port.ts';
import { CREDENTIALS } from '../surroundings/aws-stand-in.ts';
import { arnOf, conditionOf, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import { type Place, startPlace } from './place.ts';
import { Relay } from './relay.ts';
import { backendUnderTest, isMissing, itLikeAwsIfAtAll } from './under-test.ts';

/** Of the backoff: a fault that lasts a few seconds is found healed within so long. */
const HEALED_MS = 90_000;

/**
 * Settings of the operator that are wrong, and an endpoint that fails: each shows a condition that
 * names the setting to look at, and heals by itself when the cause is gone.
 */
describe.skipIf(isMissing)('an operator', () => {
  let place: Place;
  beforeAll(async () => {
    place = await startPlace();
  });
  afterAll(() => place?.stop());

  /** With one operator of its own, which must outlive whatever comes. */
  const tryOut = async (
    settings: Readonly<Record<string, string>>,
    body: (objects: MyIngresses) => Promise<void>,
    again?: MyIngresses,
  ): Promise<void> => {
    const objects = again ?? (await place.createNamespace('bad'));
    const operator = await place.startOperator({
      ALBRIDGE_NAMESPACES: objects.namespace,
      ALBRIDGE_CLUSTER_ID: objects.namespace,
      ALBRIDGE_SWEEP_INTERVAL: '2s',
      ...settings,
    });
    try {
      await body(objects);
      expect(operator.log.filter((line) => line.level === 'raw')).toEqual([]);
      expect(operator.log.map((line) => line['reason'])).not.toContain('InternalError');
    } finally {
      place.relay.clearRules();
      await operator.stop();
    }
    expect(await operator.exited).toBe(0);
  };

  const create = (objects: MyIngresses) =>
    objects.create('web', { subnets: place.network.subnets.slice(0, 2), scheme: 'internal' });

  const isReported = async (
    objects: MyIngresses,
    reason: string,
    setting: string,
  ): Promise<void> => {
    const object = await objects.whenReason('web', reason);
    expect(readyOf(object)?.message).toContain(setting);
    expect(object.status.alb).toBeUndefined();
    expect(await objects.event('web', reason)).toMatchObject({ type: 'Warning' });
  };

  const isHealed = async (objects: MyIngresses): Promise<void> => {
    await objects.whenReady('web', HEALED_MS);
    await objects.startDeleting('web');
    await objects.isGone('web', HEALED_MS);
  };

  it('with an endpoint that is down at the start waits for it', async () => {
    const port = await findFreePort();
    const late = new Relay(backendUnderTest().url, port);
    await tryOut({ AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` }, async (objects) => {
      await create(objects);
      await isReported(objects, 'AwsUnreachable', 'AWS_ENDPOINT_URL');
      await late.open();
      await isHealed(objects);
    });
    await late.stop();
  });

  it('with an endpoint that is a web site says that this is not AWS', async () => {
    await tryOut({}, async (objects) => {
      const page = { status: 200, body: '<html><body>welcome</body></html>' };
      place.relay.add({ effect: { kind: 'page', ...page } });
      await create(objects);
      await isReported(objects, 'AwsUnreadable', 'AWS_ENDPOINT_URL');
      place.relay.clearRules();
      await isHealed(objects);
    });
  });

  it('with a backend that answers HTML and status 500 names the endpoint', async () => {
    await tryOut({}, async (objects) => {
      const page = { status: 500, body: '<html><body>Internal Server Error</body></html>' };
      place.relay.add({ effect: { kind: 'page', ...page } });
      await create(objects);
      await isReported(objects, 'AwsUnavailable', 'AWS_ENDPOINT_URL');
      place.relay.clearRules();
      await isHealed(objects);
    });
  });

  it('whose endpoint dies in mid-run and comes back goes on', async () => {
    await tryOut({}, async (objects) => {
      await create(objects);
      const arn = arnOf(await objects.whenReady('web'));
      await place.relay.close();
      await objects.edit('web', { tags: { team: 'web' } });
      const cut = await objects.when(
        'web',
        (seen) => conditionOf(seen, 'Reconciling')?.reason === 'AwsUnreachable',
      );
      expect(conditionOf(cut, 'Reconciling')?.message).toContain('AWS_ENDPOINT_URL');
      expect(arnOf(cut)).toBe(arn);
      await place.relay.open();
      expect(arnOf(await objects.whenReady('web', HEALED_MS))).toBe(arn);
      await isHealed(objects);
    });
  });

  it('without credentials names them, and takes them when they come', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'albridge-credentials-'));
    const file = join(directory, 'credentials');
    const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const settings = { ...none, AWS_SHARED_CREDENTIALS_FILE: file, HOME: directory };
    await tryOut(settings, async (objects) => {
      await create(objects);
      await isReported(objects, 'CredentialsUnavailable', 'AWS_ACCESS_KEY_ID');
      const { accessKeyId, secretAccessKey } = CREDENTIALS;
      await writeFile(
        file,
        `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`,
      );
      await isHealed(objects);
    });
    await rm(directory, { recursive: true });
  });

  it('with credentials that are refused names them, and goes on when they are accepted', async () => {
    await tryOut({}, async (objects) => {
      const effect = { kind: 'error', code: 'InvalidClientTokenId', status: 403 } as const;
      place.relay.add({ effect });
      await create(objects);
      await isReported(objects, 'CredentialsRefused', 'keys');
      place.relay.clearRules();
      await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'healed' });
      await isHealed(objects);
    });
  });

  itLikeAwsIfAtAll(
    'unknown-region',
    'with an unknown region names AWS_REGION, and goes on with the right one',
    async () => {
      const objects = await place.createNamespace('region');
      const wrong = { AWS_REGION: 'xx-nowhere-1' };
      await tryOut(
        wrong,
        async () => {
          await create(objects);
          const object = await objects.when('web', (seen) => readyOf(seen)?.status === 'False');
          expect(readyOf(object)?.message).toContain('AWS_REGION');
          expect(object.status.alb).toBeUndefined();
        },
        objects,
      );
      await tryOut({}, () => isHealed(objects), objects);
    },
  );
});
