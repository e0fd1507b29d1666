import { containerLimits, podLimits } from '../../apis/pod.ts';
import { type WebApp, webAppManagedBy } from '../../apis/web-app.ts';
import type { FieldPath } from '../../core/field-path.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { labelSelector } from '../../core/label-selector.ts';

/** Where the number of pods stands in a Deployment. */
export const REPLICAS: FieldPath = ['spec', 'replicas'];

/**
 * What albridge sets in the Deployment, and no field more: what the server defaults and what others
 * set - `kubectl rollout restart`, sidecars, resources - stays theirs.
 */
export function desiredDeployment({ metadata, spec }: WebApp): KubeObject & { spec: object } {
  const labels = labelsOf(metadata.name);
  const ports = [{ name: 'http', containerPort: spec.port, protocol: 'TCP' }];
  const containers = [{ name: 'app', image: spec.image, ports, ...containerLimits }];
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

/** Its selector is that of the Deployment: a looser one would catch the pods of others. */
export function desiredService({ metadata, spec }: WebApp): KubeObject & { spec: object } {
  const labels = labelsOf(metadata.name);
  const ports = [{ name: 'http', port: spec.port, targetPort: spec.port, protocol: 'TCP' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: metadata.name, namespace: metadata.namespace, labels },
    spec: { selector: labels, ports },
  };
}

/** `a=b,c=d`, the form that the scale subresource wants. */
export function selectorOf({ metadata }: WebApp): string {
  return labelSelector(labelsOf(metadata.name));
}

/** The name is a Service's, so at most 63 characters and a valid label value. */
function labelsOf(name: string): Readonly<Record<string, string>> {
  return { app: name, 'app.kubernetes.io/managed-by': webAppManagedBy };
}
