import { type WebApp, webAppManagedBy } from '../../apis/web-app.ts';
import type { FieldPath } from '../../core/objects/fields.ts';
import { formatLabelSelector, type KubeObject } from '../../core/objects/kube-object.ts';
import { containerLimits, podLimits } from '../../pods/pod.ts';
import type { Deployment } from './deployment.ts';

/** The article's. */
const CONTAINER = 'app';

/** The path of the number of pods in a Deployment. */
export const REPLICAS: FieldPath = ['spec', 'replicas'];

/**
 * The fields that albridge sets in the Deployment, and no others: what the server defaults and what others
 * set - `kubectl rollout restart`, sidecars, resources - stays theirs.
 */
export function desiredDeployment(
  { metadata, spec }: WebApp,
  observed?: Deployment,
): KubeObject & { spec: object } {
  const labels = buildLabels(metadata.name);
  const ports = [{ name: 'http', containerPort: spec.port, protocol: 'TCP' }];
  const readinessProbe = { tcpSocket: { port: spec.port }, periodSeconds: 5 };
  const app = { name: CONTAINER, image: spec.image, ports, ...containerLimits };
  const containers = [hasProbeOfOthers(observed) ? app : { ...app, readinessProbe }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: metadata.name, namespace: metadata.namespace, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...podLimits, containers } },
    },
  };
}

/**
 * A probe has one way of asking
 * (https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#check-mechanisms):
 * next to another one the API server would refuse ours.
 */
function hasProbeOfOthers(observed: Deployment | undefined): boolean {
  const containers = observed?.spec?.template?.spec?.containers ?? [];
  const probe = containers.find(({ name }) => name === CONTAINER)?.readinessProbe ?? {};
  return ['httpGet', 'exec', 'grpc'].some((mechanism) => mechanism in probe);
}

/** Its selector is that of the Deployment: a looser one would catch the pods of others. */
export function desiredService({ metadata, spec }: WebApp): KubeObject & { spec: object } {
  const labels = buildLabels(metadata.name);
  const ports = [{ name: 'http', port: spec.port, targetPort: spec.port, protocol: 'TCP' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: metadata.name, namespace: metadata.namespace, labels },
    spec: { selector: labels, ports },
  };
}

/** `a=b,c=d`, the form that the scale subresource wants. */
export function buildSelector({ metadata }: WebApp): string {
  return formatLabelSelector(buildLabels(metadata.name));
}

/** The name is a Service's, so at most 63 characters and a valid label value. */
function buildLabels(name: string): Readonly<Record<string, string>> {
  return { app: name, 'app.kubernetes.io/managed-by': webAppManagedBy };
}
