import { describe, expect, it } from 'vitest';
import { myIngressKind } from '../../../../src/apis/my-ingress.ts';
import { noMetrics } from '../../../../src/cli/cluster.ts';
import { Watched } from '../../../../src/cli/ui/watched.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { ScriptedStream, ScriptedTransport } from '../../../fakes/scripted-transport.ts';

describe('a collection of the page', () => {
  it('names the next step of every failure', async () => {
    const clock = new ManualClock();
    const stream = new ScriptedStream().break();
    const transport = new ScriptedTransport(() => ({ stream }));
    const client = new KubeClient({ transport, clock, metrics: noMetrics });
    const options = { access: { client, namespace: undefined }, clock, onChange: () => {} };
    const watched = new Watched({ kind: myIngressKind }, options);
    await clock.advance(100);
    expect(watched.findFault()).toBe('the watch broke off; trying again');
    await watched.stop();
  });

  it('names who does not answer, and the next step, where the API server is silent', async () => {
    const clock = new ManualClock();
    const transport = new ScriptedTransport(() => 'hang');
    const client = new KubeClient({ transport, clock, metrics: noMetrics });
    const options = { access: { client, namespace: undefined }, clock, onChange: () => {} };
    const watched = new Watched({ kind: myIngressKind }, options);
    await clock.advance(60_000);
    expect(watched.describeState('MyIngress')).toEqual({
      ...{ name: 'MyIngress', isKnown: true, isRead: false },
      fault:
        'the API server did not answer in time: check the context (kubectl config current-context) and the network',
    });
    await watched.stop();
  });
});
