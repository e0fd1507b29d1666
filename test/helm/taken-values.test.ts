import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMPLETE, Helm, setAll } from './helm.ts';

/** Values of other forms than the usual ones, which are right all the same; rendering.test.ts has those that are refused. */

let helm: Helm;

beforeAll(async () => {
  helm = await Helm.open();
}, 600_000);

afterAll(() => helm?.close());

const taken: Readonly<Record<string, readonly string[]>> = {
  'a number as a text': ['settings.ALBRIDGE_CONCURRENCY= 32'],
  'a number that is not set': ['settings.ALBRIDGE_CONCURRENCY='],
  'an address that is off as 0': ['settings.ALBRIDGE_METRICS_ADDRESS=0'],
  'namespaces without an id, where nothing is in AWS': [
    'settings.ALBRIDGE_NAMESPACES=web',
    'kinds.myingress=false',
  ],
  'namespaces by a variable without an id, where nothing is in AWS': [
    'env.ALBRIDGE_NAMESPACES=web',
    'kinds.myingress=false',
  ],
  'namespaces and an id by variables': ['env.ALBRIDGE_NAMESPACES=web', 'env.ALBRIDGE_CLUSTER_ID=a'],
  'no namespaces by a variable': ['env.ALBRIDGE_NAMESPACES='],
  'no namespaces by a variable with a value': ['env.ALBRIDGE_NAMESPACES.value='],
  'a blank in place of namespaces': ['env.ALBRIDGE_NAMESPACES= '],
  'namespaces without an id, where nothing runs': [
    'settings.ALBRIDGE_NAMESPACES=web',
    'operator.enabled=false',
  ],
  'a toleration with fields that are empty or null': [
    'tolerations[0].key=dedicated',
    'tolerations[0].operator=',
    'tolerations[0].effect=',
    'tolerations[0].value=null',
    'tolerations[0].tolerationSeconds=null',
  ],
  'an election': ['settings.ALBRIDGE_LEADER_ELECTION=true'],
  'a setting that is blank, and a variable': [
    'settings.ALBRIDGE_CLUSTER_ID= ',
    'env.ALBRIDGE_CLUSTER_ID=a',
  ],
  'one namespace with an id that is a variable': [
    'singleNamespace=true',
    'settings.ALBRIDGE_CLUSTER_ID=',
    'env.ALBRIDGE_CLUSTER_ID=a',
  ],
  'what would break an operator, where none is installed': [
    'operator.enabled=false',
    'singleNamespace=true',
    'readinessGates.enabled=true',
    'kinds.myingress=false',
    'env.AWS_REGION=eu-central-1',
    'volumeMounts[0].name=a',
    'volumeMounts[0].mountPath=/a',
  ],
  'the condition of a parent chart': ['enabled=true'],
  'values of a release before volumes': ['volumes=null', 'volumeMounts=null'],
  'a volume without a source, which is an empty directory': [
    'volumes[0].name=tmp',
    'volumes[1].name=cache',
    'volumes[1].emptyDir=null',
  ],
  'a mount with each field': [
    'volumes[0].name=a',
    'volumes[0].persistentVolumeClaim.claimName=a',
    'volumeMounts[0].name=a',
    'volumeMounts[0].mountPath=/a',
    'volumeMounts[0].subPath=null',
    'volumeMounts[0].subPathExpr=$(POD_NAME)',
    'volumeMounts[0].readOnly=true',
    'volumeMounts[0].mountPropagation=None',
    'volumeMounts[0].recursiveReadOnly=IfPossible',
    'volumeMounts[1].name=a',
    'volumeMounts[1].mountPath=/b',
    'volumeMounts[1].readOnly=null',
    'volumeMounts[1].mountPropagation=HostToContainer',
  ],
  'gates in the mode reconcile, as a variable': [
    'readinessGates.enabled=true',
    'env.ALBRIDGE_MODE=reconcile',
  ],
  'gates in the mode reconcile, as the value of a variable': [
    'readinessGates.enabled=true',
    'env.ALBRIDGE_MODE.value=reconcile',
  ],
  'an annotation whose prefix has upper case': ['podAnnotations.example\\.COM/bar=x'],
};

it.each(Object.entries(taken))('%s: taken', async (_name, sets) => {
  expect(await helm.template(setAll([...COMPLETE, ...sets]))).not.toEqual([]);
});
