import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { playCreation, playDeletion, playDrift, playEdit } from '../demo/balancer-scenes.ts';
import { playPods } from '../demo/pod-scenes.ts';
import { Stage } from '../demo/stage.ts';
import type { Surroundings } from '../surroundings/surroundings.ts';
import { DeployPlace } from './place.ts';
import type { PlayedPod } from './played-pod.ts';

/** What the demo shows, done by the image in a pod of the Deployment. */

let place: DeployPlace;
let played: PlayedPod;

beforeAll(async () => {
  place = await DeployPlace.start();
  played = await place.install({ ALBRIDGE_SWEEP_INTERVAL: '2s' });
});

afterAll(() => place?.stop());

/** The demo's scenes, told to nobody. */
function stage(): Stage {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Stage(nowhere);
}

it('plays the whole demo, with its token rotated in the middle', async () => {
  const { outsider, cluster: controlPlane, aws } = place;
  const surroundings = { controlPlane, aws } as unknown as Surroundings;
  const scene = { stage: stage(), surroundings, outsider, takesTime: false };
  await playCreation(scene);
  await playDrift(scene);
  await played.rotateToken();
  await playEdit(scene);
  await playDeletion(scene);
  await playPods(scene);
  expect(played.operator.log.filter(({ level }) => level === 'error')).toEqual([]);
  expect(await played.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
  expect(await played.probe('/healthz')).toEqual({ status: 200, body: 'ok' });
});

it('makes no call that deploy/iam/policy.json does not allow', async () => {
  const calls = await place.standIn.operatorCalls();
  expect(calls.filter(({ outcome }) => outcome === 'AccessDenied')).toEqual([]);
  const operations = new Set(calls.map(({ operation }) => operation));
  for (const one of ['CreateLoadBalancer', 'AddTags', 'RemoveTags', 'DeleteLoadBalancer']) {
    expect(operations).toContain(one);
  }
});
