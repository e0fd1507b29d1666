import type { MyApp, MyAppSpec } from '../../apis/my-app.ts';
import { shortenName } from '../../core/objects/digests.ts';
import type { Fields } from '../../core/objects/fields.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { containerLimits, podLabels, podLimits } from '../../pods/pod.ts';
import { mergePodTemplate } from '../../pods/pod-template.ts';

const MAX_POD_NAME_LENGTH = 253;
/** Behind the name of the object; there are at most 1000 pods. */
const LONGEST_SUFFIX = '-pod-999';

/** The article's pod, once for each replica. The first one has the article's name. */
export function desirePods(object: MyApp): readonly KubeObject[] {
  const { metadata, spec } = buildTemplate(object);
  return Array.from({ length: object.spec.replicas }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: namePod(object, index),
      namespace: object.metadata.namespace,
      ...metadata,
    },
    spec,
  }));
}

/** Labels of every pod of the object, and of no other pod. */
export function buildLabels({ metadata }: MyApp): Readonly<Record<string, string>> {
  return { app: shortenName(metadata.name), ...podLabels };
}

/** `<name>-pod`, then `<name>-pod-1` and so on. */
function namePod({ metadata }: MyApp, index: number): string {
  const head = shortenName(metadata.name, MAX_POD_NAME_LENGTH - LONGEST_SUFFIX.length);
  return index === 0 ? `${head}-pod` : `${head}-pod-${index}`;
}

/** One object for all of them: it may be long, and is hashed once. */
function buildTemplate(object: MyApp): { readonly metadata: object; readonly spec: object } {
  const { podTemplate } = object.spec;
  const labels = buildLabels(object);
  const own = buildContainer(object);
  const pod = chooseGrace(object.spec);
  if (podTemplate === undefined) {
    return { metadata: { labels }, spec: { ...podLimits, containers: [own], ...pod } };
  }
  const { securityContext: _default, ...container } = own;
  return mergePodTemplate({ labels, container, defaults: { pod } }, podTemplate);
}

/** A DNS label, unlike the name of the object, which may be longer and have dots. */
export function nameContainer({ metadata }: MyApp): string {
  return shortenName(metadata.name.replaceAll('.', '-'));
}

function buildContainer(object: MyApp): Fields & { readonly name: string } {
  const { spec } = object;
  const { image, banner = '' } = spec;
  return {
    name: nameContainer(object),
    image,
    ports: [{ containerPort: 80 }],
    ...containerLimits,
    ...(banner !== '' && { env: [{ name: 'BANNER', value: escapeReferences(banner) }] }),
    ...chooseCommand(spec),
  };
}

/**
 * The banner is read from the environment alone: nothing that a user writes ever becomes part of a
 * script. printf, because echo takes `-n` and, in some shells, backslashes for itself.
 */
const SCRIPT = `if [ -n "$BANNER" ]; then printf '%s\\n' "$BANNER"; fi
exec sleep infinity
`;

/** A list that is empty is left out: the API server would not store it. */
function chooseCommand(spec: MyAppSpec): object {
  const { command, args } = spec;
  if (isBannerShell(spec)) return { command: ['/bin/sh', '-c'], args: [SCRIPT] };
  return {
    ...(command !== undefined && command.length > 0 && { command }),
    ...(args !== undefined && args.length > 0 && { args }),
  };
}

/** sleep has nothing to put in order and, being process 1, does not hear SIGTERM: no use in waiting. */
function chooseGrace(spec: MyAppSpec): object {
  return isBannerShell(spec) ? { terminationGracePeriodSeconds: 1 } : {};
}

function isBannerShell({ command, args }: MyAppSpec): boolean {
  return command === undefined && args === undefined;
}

/**
 * Kubernetes resolves $(NAME) in values of the environment, and takes $$ for a dollar.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#environment-variables
 */
function escapeReferences(text: string): string {
  return text.replaceAll('$', () => '$$');
}
